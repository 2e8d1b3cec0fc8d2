/** What leads to one test: its project, its file, and its full name, or no name for the whole file. */
export interface OneTest {
  readonly project: string;
  readonly file: string;
  readonly name?: string;
}

/** What a run was started with, as far as another run needs it too. */
export interface RunForm {
  readonly config: string;
  readonly seed: number;
  readonly thorough: boolean;
  /** What the shell had set: a run without it would be another one. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command that runs a test alone, exactly as it ran here. */
export function commandAlone(test: OneTest, form: RunForm): string {
  const seeded = form.thorough || form.env.TEST_SEED !== undefined;
  const words = [
    ...(form.thorough ? ['THOROUGH=1'] : []),
    ...(seeded ? [`TEST_SEED=${form.seed}`] : []),
    ...(form.env.SOAK_MINUTES === undefined ? [] : [`SOAK_MINUTES=${quoted(form.env.SOAK_MINUTES)}`]),
    `npx vitest run --config ${form.config} --project ${test.project} ${quoted(test.file)}`,
    ...(test.name === undefined ? [] : ['-t', quoted(`^${literally(test.name)}$`)]),
  ];
  return words.join(' ');
}

/** A text as a regular expression that matches it and nothing else. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/[^\S ]/g, '\\s');
}

/** A word for the shell. */
function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
