import { z } from 'zod';

/** A tool as every server of the benchmark registers it, each in its own way. */
export interface BenchTool {
  name: string;
  description: string;
  input: z.ZodObject;
  run(args: Record<string, unknown>): string;
}

/** `echo` and as many generated tools of realistic size as are needed to make `count`. */
export function makeTools(count: number): BenchTool[] {
  const generated = Array.from({ length: count - 1 }, (_, index) => makeTool(index));
  return [echo, ...generated];
}

const echo: BenchTool = {
  name: 'echo',
  description: 'Returns the message it was given.',
  input: z.object({ message: z.string().describe('The text to return.') }),
  run: args => args.message as string,
};

const verbs = ['list', 'create', 'update', 'delete', 'search', 'export', 'archive'];
const nouns = ['orders', 'invoices', 'customers', 'tickets', 'shipments', 'products', 'reports'];

function makeTool(index: number): BenchTool {
  const verb = verbs[index % verbs.length]!;
  const noun = nouns[Math.floor(index / verbs.length) % nouns.length]!;
  const series = Math.floor(index / (verbs.length * nouns.length));
  return {
    name: series === 0 ? `${verb}_${noun}` : `${verb}_${noun}_${series}`,
    description: `Use this tool to ${verb} ${noun} of the current workspace that match the given filters.`,
    input: z.object({
      workspace: z.string().min(1).describe(`The workspace whose ${noun} are meant.`),
      query: z.string().optional().describe('Words to look for in the title and the notes.'),
      limit: z.number().int().min(1).max(500).describe(`How many ${noun} to handle at most.`),
      order: z.enum(['newest', 'oldest', 'name', 'relevance']).describe('The order they are handled in.'),
      tags: z.array(z.string()).optional().describe('Only what carries all of these tags.'),
      dryRun: z.boolean().optional().describe('Report what would happen without doing it.'),
    }),
    run: args => `${verb} ${noun} in ${String(args.workspace)}`,
  };
}
