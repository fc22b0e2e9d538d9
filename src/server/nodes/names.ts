/** The names of everything that the nodes of a server share, by what it is. */
export interface Names {
  /** The topic that all nodes listen to. */
  readonly everyone: string;
  /** The topic of one node. */
  node(id: string): string;
  /** The state of a session, or that it was ended. */
  session(serial: string): string;
  /** The last events of a stream whose node has closed. */
  stream(id: string): string;
}

/** Nodes belong together if their servers have the same name. */
export function sharedNames(server: string): Names {
  return {
    everyone: `${server}:nodes`,
    node: id => `${server}:node:${id}`,
    session: serial => `${server}:session:${serial}`,
    stream: id => `${server}:stream:${id}`,
  };
}
