/** The requirements that no test shows yet. This list only gets shorter: it fails when one of them has a test. */
export const UNTESTED: readonly string[] = [];
