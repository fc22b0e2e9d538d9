import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import type { Command as Program } from 'tenon/client';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags } from '../connection.js';
import { usageError } from '../failure.js';
import { readPort } from '../port.js';
import { type Target, targetArgument } from '../target.js';
import { credentialHeaders } from '../trace/credentials.js';
import type { TraceHeader } from '../trace/entry.js';
import { maskAddress } from '../trace/mask.js';
import { passThrough } from '../trace/pass-through.js';
import { startProxy } from '../trace/proxy.js';
import { createHeader, openRecording, type Recording } from '../trace/recording.js';
import { type Sink, Tracer } from '../trace/tracer.js';
import { TraceView } from '../trace/view.js';

interface TraceFlags extends ConnectionFlags {
  readonly listen?: number | true;
  readonly stdio?: boolean;
  readonly record?: string;
  readonly full?: boolean;
  readonly unmasked?: boolean;
}

export function defineTrace(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli))
      .option('--listen [port]', 'for a URL: the port for clients; any free one by default', readListenPort)
      .option('--stdio', 'for a program: a host starts tenon in its place')
      .option('--record <file>', 'keep what passes, as lines of JSON, for `tenon replay`')
      .option('--full', 'show whole messages and headers')
      .option('--unmasked', 'show and keep secrets, too'),
  )
    .addHelpText('after', HELP)
    .action((target: Target, flags: TraceFlags) => {
      const { address } = target;
      return typeof address === 'string'
        ? traceUrl(target, new URL(address), flags, cli)
        : traceProgram(target, address, flags, cli);
    });
}

const HELP = `
Stands between a client and a server, and shows every message while it passes.

A URL is offered at an address on this machine; connect the client to that one. A program is traced where a host starts
it: in the configuration of the host, write \`tenon trace --stdio --record FILE -- \` before the command. Its input and output
pass unchanged, and so does its exit code; messages are shown on standard error, or kept in FILE.

Tokens, cookies, passwords and the like are masked; session ids and sealed states are shortened. A server that wants a
sign-in names its own address in its metadata, which is passed on as it is, so most clients refuse to sign in through
another one: give the token here, with --bearer, --header or --sign-in, and it is added to every request.

--revision and --timeout have no effect here, except on the sign-in: the client decides.

Examples:
  tenon trace https://bistro.example/mcp
  tenon trace https://bistro.example/mcp --listen 4400 --record trace.jsonl
  tenon trace bistro --full --sign-in
  tenon trace --stdio --record /tmp/bistro.jsonl -- npx bistro-server
  tenon config --for cursor --name bistro -- tenon trace --stdio --record /tmp/bistro.jsonl -- npx bistro-server`;

async function traceUrl(target: Target, url: URL, flags: TraceFlags, cli: Cli): Promise<void> {
  if (flags.stdio) {
    throw usageError(
      '--stdio is for a program that a host starts, and this target is a URL',
      'Leave it out, and connect the client to the address that is printed.',
    );
  }
  const { output, signal } = cli;
  const headers = await credentialHeaders(cli, target, flags);
  const header = headerOf(target, 'http', flags);
  const view = new TraceView({
    write: line => output.print(line),
    colours: output.colours,
    width: () => output.width,
    full: flags.full === true,
  });
  const show: Sink = output.isJson
    ? entry => output.json(entry, { indent: false })
    : entry => view.show(entry);
  const recording = record(flags, header);
  const proxy = await startProxy({
    target: url,
    port: typeof flags.listen === 'number' ? flags.listen : 0,
    tracer: new Tracer([...(recording ? [recording.add] : []), show], { masked: !flags.unmasked }),
    headers,
    onStatus: status => {
      if (status === 401) output.warn(SIGN_IN_ADVICE);
    },
  });
  try {
    if (output.isJson) output.json({ ...header, address: proxy.address }, { indent: false });
    else introduce(proxy.address, header, recording, cli);
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
  } finally {
    await proxy.close();
    recording?.close();
  }
}

const SIGN_IN_ADVICE =
  'the server wants a sign-in or a token (HTTP status 401). Its metadata names its own address, so clients may refuse to ' +
  'sign in here. Start the trace with --sign-in, --bearer TOKEN or --header "Name: value" to add it to every request.';

function introduce(
  address: string,
  { target }: TraceHeader,
  recording: Recording | undefined,
  { output }: Cli,
): void {
  const { bold, dim } = output.colours;
  output.print(`${bold(address)}  ${dim(`stands for ${target}`)}`);
  const kept = recording ? ` Recording to ${recording.path}.` : '';
  output.print(dim(`Connect the client to it.${kept} Ctrl+C ends it.`));
  output.print();
}

async function traceProgram(target: Target, program: Program, flags: TraceFlags, cli: Cli): Promise<void> {
  checkProgramFlags(target, flags);
  const { output, signal } = cli;
  const recording = record(flags, headerOf(target, 'stdio', flags));
  const view = new TraceView({
    // Standard output belongs to the messages.
    write: line => output.note(line),
    colours: output.noteColours,
    width: () => process.stderr.columns || Number.POSITIVE_INFINITY,
    full: flags.full === true,
  });
  const sink: Sink = recording ? recording.add : entry => view.show(entry);
  try {
    cli.exitCode = await passThrough(program, new Tracer([sink], { masked: !flags.unmasked }), signal);
  } finally {
    recording?.close();
  }
}

function checkProgramFlags({ label }: Target, flags: TraceFlags): void {
  const line = `tenon trace --stdio --record trace.jsonl -- ${label}`;
  if (flags.listen !== undefined) {
    throw usageError(
      'a program serves one client over its standard input and output, and cannot be shared at an address',
      `Let the host start this in place of the program: ${line}`,
    );
  }
  if (!flags.stdio) {
    throw usageError(
      'a program is traced where a host starts it',
      `Write this into the configuration of the host, in place of the program: ${line}`,
    );
  }
  if (flags.json) {
    throw usageError(
      'standard output belongs to the messages of the program, so there is no --json with --stdio',
      'Keep the messages as lines of JSON with --record FILE.',
    );
  }
}

function headerOf({ label }: Target, transport: TraceHeader['transport'], flags: TraceFlags): TraceHeader {
  const shown = flags.unmasked ? label : maskAddress(label);
  return createHeader({ target: shown, transport, masked: !flags.unmasked });
}

function record({ record: path }: TraceFlags, header: TraceHeader): Recording | undefined {
  return path === undefined ? undefined : openRecording(path, header);
}

function readListenPort(text: string): number {
  if (/^\d+$/.test(text)) return readPort(text);
  throw new InvalidArgumentError('It is followed by a port or nothing; write the target before it.');
}
