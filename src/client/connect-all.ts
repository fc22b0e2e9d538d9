import { defined } from '../base/defined.js';
import { UsageError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { checkOptions } from '../base/options.js';
import { messageOf } from '../base/thrown.js';
import { ConnectionError } from '../protocol/failures.js';
import type { Client } from './client.js';
import { CONNECT_OPTIONS, type Connect, type ConnectOptions, type ConnectTarget } from './connect.js';
import { ClientGroup, type GroupProblem } from './group.js';

/** A server of a group with its own options, which take precedence over those of the group. */
export interface GroupMember extends ConnectOptions {
  target: ConnectTarget;
}

/** Options of a single server: its credentials must not reach another server, nor may its name or cache be shared. */
const OF_ONE_SERVER = ['auth', 'headers', 'cachePartition', 'negotiated', 'serverName'] as const;

/** Options for all servers of a group. */
export interface GroupOptions extends Omit<ConnectOptions, (typeof OF_ONE_SERVER)[number]> {
  /** Called for a server that fails. Without it, one server that fails makes the whole group fail. */
  onProblem?: ((problem: GroupProblem) => void) | undefined;
}

/** Connects to several servers at once. */
export type ConnectAll = (
  servers: Readonly<Record<string, ConnectTarget | GroupMember>>,
  options?: GroupOptions,
) => Promise<ClientGroup>;

export function createConnectAll(connect: Connect): ConnectAll {
  return async (servers, options = {}) => {
    checkOptions(options, { ...CONNECT_OPTIONS, onProblem: 'a function' }, 'connectAll');
    if (!isObject(servers))
      throw new UsageError('connectAll needs an object that names the servers: connectAll({ kitchen: url })');
    const { onProblem, ...shared } = options;
    const names = Object.keys(servers);
    for (const name of names) checkName(name);
    refuseOptionsOfOne(shared, names[0]);
    const outcomes = await Promise.all(
      Object.entries(servers).map(async ([server, member]) => {
        const { target, ...own } = isMember(member) ? member : { target: member };
        try {
          return {
            server,
            client: await connect(target, { ...shared, ...defined(own), serverName: server }),
          };
        } catch (error) {
          return { server, error };
        }
      }),
    );
    const clients = new Map<string, Client>();
    for (const { server, client } of outcomes) if (client) clients.set(server, client);
    const group = new ClientGroup(clients, onProblem);
    for (const { server, client, error } of outcomes) {
      if (client) continue;
      if (onProblem) onProblem({ server, error });
      else {
        await group.close();
        const message = `cannot connect to ${server}: ${messageOf(error)}`;
        throw error instanceof UsageError
          ? new UsageError(message, { cause: error })
          : new ConnectionError(message, { cause: error });
      }
    }
    return group;
  };
}

function checkName(name: string): void {
  if (/^[a-z\d-]+(_[a-z\d-]+)*$/i.test(name)) return;
  throw new UsageError(`${JSON.stringify(name)} cannot name a server: use letters, digits, - and single _`);
}

/**
 * The compiler refuses these options too, but a program without types must not send one token to all servers either.
 */
function refuseOptionsOfOne(shared: object, server = 'name'): void {
  const option = OF_ONE_SERVER.find(name => (shared as Record<string, unknown>)[name] !== undefined);
  if (option === undefined) return;
  throw new UsageError(
    `${option} is for one server and not for the whole group; pass it with its server: connectAll({ ${server}: { target, ${option} } })`,
  );
}

function isMember(member: ConnectTarget | GroupMember): member is GroupMember {
  return typeof member === 'object' && 'target' in member && !('start' in member);
}
