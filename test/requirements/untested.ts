/** The requirements that no test shows yet. This list only gets shorter: an id that has a test must go. */
export const UNTESTED: readonly string[] = [];
