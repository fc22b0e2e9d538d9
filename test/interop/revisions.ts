/** What a revision of the protocol can say, as far as it shows in the bistro. */
export interface Knowledge {
  readonly revision: string;
  readonly era: 'legacy' | 'modern';
  /** Hints on tools, such as `readOnlyHint`. */
  readonly annotations: boolean;
  readonly audio: boolean;
  readonly progressMessages: boolean;
  readonly titles: boolean;
  readonly links: boolean;
  /** Completion that knows the arguments already chosen. */
  readonly completionContext: boolean;
  readonly icons: boolean;
  /** What `structuredContent` may be. */
  readonly structured: 'none' | 'object' | 'any';
  /** How arguments that do not fit are answered: with an error, or with a result that the model reads. */
  readonly badArguments: 'error' | 'result';
  readonly resourceNotFound: number;
  /** What a form may contain: defaults only where they are booleans, or everywhere. */
  readonly forms: 'none' | 'plain' | 'full';
}

const first: Knowledge = {
  revision: '2024-11-05',
  era: 'legacy',
  annotations: false,
  audio: false,
  progressMessages: false,
  titles: false,
  links: false,
  completionContext: false,
  icons: false,
  structured: 'none',
  badArguments: 'error',
  resourceNotFound: -32002,
  forms: 'none',
};
const second: Knowledge = {
  ...first,
  revision: '2025-03-26',
  annotations: true,
  audio: true,
  progressMessages: true,
};
const third: Knowledge = {
  ...second,
  revision: '2025-06-18',
  titles: true,
  links: true,
  completionContext: true,
  structured: 'object',
  forms: 'plain',
};
const fourth: Knowledge = {
  ...third,
  revision: '2025-11-25',
  icons: true,
  badArguments: 'result',
  forms: 'full',
};
const fifth: Knowledge = {
  ...fourth,
  revision: '2026-07-28',
  era: 'modern',
  structured: 'any',
  resourceNotFound: -32602,
};

export const LEGACY: readonly Knowledge[] = [first, second, third, fourth];
export const NEWEST_LEGACY = fourth;
export const MODERN = fifth;
