import { homedir } from 'node:os';
import { type ConfiguredServer, readConfiguredServers } from '../hosts/configured-servers.js';
import { fullName } from '../hosts/find-server.js';
import type { HostedServer } from '../hosts/host.js';
import type { Output } from '../terminal/output.js';
import { plainLine } from '../terminal/plain-text.js';
import { table } from '../terminal/table.js';

/** Lists the servers that hosts on this machine know. Values of variables and headers are secret and not shown. */
export function listHosts(output: Output): void {
  const { servers, problems } = readConfiguredServers();
  for (const { file, problem } of problems) output.warn(`${shorten(file)} cannot be read: ${problem}`);
  if (output.isJson) return output.json({ servers: servers.map(forPrograms) });
  if (servers.length === 0) {
    output.print('No host on this machine has a server in its configuration.');
    return output.note('Give a target instead: tenon list https://…, or tenon list -- node server.js');
  }
  for (const file of new Set(servers.map(one => one.file))) {
    const inFile = servers.filter(one => one.file === file);
    output.print(`${output.colours.bold(inFile[0]?.host.title ?? '')}  ${output.colours.dim(shorten(file))}`);
    const rows = inFile.map(one => [`  ${fullName(one)}`, addressOf(one.server)]);
    for (const line of table(rows, output.width)) output.print(line);
    output.print();
  }
  output.note(output.noteColours.dim('Use a name as the target of any command, such as `tenon list NAME`.'));
}

function forPrograms({ name, host, file, server }: ConfiguredServer): object {
  const address =
    'url' in server ? { url: withoutQuery(server.url) } : { command: server.command, args: server.args };
  return { name, host: host.id, file, ...address };
}

function addressOf(server: HostedServer): string {
  if ('url' in server) return plainLine(withoutQuery(server.url));
  return plainLine([server.command, ...server.args].join(' '));
}

/** Keys are often part of the query. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}

function shorten(file: string): string {
  return file.startsWith(homedir()) ? `~${file.slice(homedir().length)}` : file;
}
