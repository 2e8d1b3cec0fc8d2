/** What a gate needs of Node: a file for its list. */
export { fileStore } from './file-store.ts';
