/** The requests of the load generator, in each revision. */
export const scenarios = ['tools/call', 'tools/list'] as const;
export type Scenario = (typeof scenarios)[number];

export const eras = ['2026-07-28', '2025-11-25'] as const;
export type Era = (typeof eras)[number];

export const serverInfo = { name: 'bench-server', version: '1.0.0' };
export const clientInfo = { name: 'bench-load', version: '1.0.0' };

/** The argument of `echo`, and therefore the text of its answer. */
export const message = 'The quick brown fox jumps over the lazy dog.';

/** How long the results of tasks and jobs are kept. */
export const keptMs = 600_000;
