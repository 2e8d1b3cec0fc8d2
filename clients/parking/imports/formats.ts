export const FILE_FORMATS = ['csv', 'xlsx', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
