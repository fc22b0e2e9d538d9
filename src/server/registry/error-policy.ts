/** Whether unexpected errors are shown to the client, and where they are reported on this side. */
export interface ErrorPolicy {
  expose: boolean;
  report(error: unknown, where: string): void;
}

/** The message of any thrown value. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'a value that cannot be converted to a string was thrown';
  }
}
