/**
 * What `connect` is doing. More kinds may follow, so show a status of an unknown kind as "connecting".
 *
 * @example
 * await connect({ command: 'npx', args: ['some-mcp-server'] }, {
 *   onStatus: (status, { server }) => status.kind === 'waiting' && show(`${server} has not answered yet …`),
 * });
 */
export type ConnectStatus =
  /** The program is being started, or the connection opened. */
  | { kind: 'starting' }
  /** `server/discover` was sent, to find out whether the server speaks a revision without a handshake. */
  | { kind: 'probing' }
  /** `initialize` was sent to a server that is known to need it. */
  | { kind: 'initializing' }
  /** There is no answer yet, `waitedMs` after connecting began. Comes again as long as that is so. */
  | { kind: 'waiting'; waitedMs: number }
  /** An older way to connect is tried. */
  | { kind: 'falling-back'; to: 'initialize' | 'HTTP+SSE'; reason: string }
  /** The program is ended and started again, because the attempt so far has spoiled this one. */
  | { kind: 'restarting'; reason: string }
  | { kind: 'connected'; revision: string };
