import { resourceNotFound, Server, ToolError } from 'tenon';
import { z } from 'zod';
import type { Issue, Issues } from './database.ts';

const issueSchema = z.object({
  id: z.int(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['open', 'closed']),
  reason: z.string().nullable(),
});

/** A small issue tracker: tools to work with issues, and each issue as a resource. */
export function createTracker(issues: Issues): Server {
  const server = new Server(
    { name: 'tracker', version: '1.0.0' },
    { instructions: 'Search before you open an issue. Close an issue only if the user wants that.' },
  );

  server.tool(
    'open_issue',
    {
      description: 'Opens an issue',
      input: z.object({ title: z.string().min(1).max(200), body: z.string().default('') }),
      output: issueSchema,
    },
    ({ title, body }) => {
      const issue = issues.open(title, body);
      server.listChanged('resources');
      return issue;
    },
  );

  server.tool(
    'find_issues',
    {
      description: 'Finds issues that contain a text',
      input: z.object({ text: z.string().default(''), state: z.enum(['open', 'closed']).default('open') }),
      output: z.object({ issues: z.array(issueSchema) }),
      annotations: { readOnlyHint: true },
    },
    ({ text, state }) => ({ issues: issues.find(state, text) }),
  );

  server.tool(
    'close_issue',
    {
      description: 'Closes an issue. Asks the user for the reason',
      input: z.object({ id: z.int() }),
      output: issueSchema,
      annotations: { destructiveHint: true },
    },
    async ({ id }, ctx) => {
      const issue = issues.get(id);
      if (!issue) throw new ToolError(`There is no issue ${id}.`);
      const answer = await ctx.elicit(`Why should "${issue.title}" be closed?`, reasonForm);
      if (answer.action !== 'accept') return ctx.error(`Issue ${id} stays open.`);
      issues.close(id, answer.content.reason);
      server.resourceChanged(`issue://${id}`);
      return issues.get(id) as Issue;
    },
  );

  server.resource(
    'issue://{id}',
    {
      name: 'issue',
      mimeType: 'text/markdown',
      list: () => issues.find('open').map(({ id, title }) => ({ uri: `issue://${id}`, name: title })),
    },
    ({ id }, ctx) => {
      const issue = issues.get(Number(id));
      if (!issue) throw resourceNotFound(ctx.uri);
      return `# ${issue.title}\n\n${issue.body}\n\nState: ${issue.state}${issue.reason ? `, ${issue.reason}` : ''}`;
    },
  );

  server.prompt(
    'triage',
    { description: 'Goes through the open issues' },
    () =>
      `Which of these issues should be done first, and why?\n\n${issues
        .find('open')
        .map(({ id, title }) => `- #${id} ${title}`)
        .join('\n')}`,
  );

  return server;
}

const reasonForm = z.object({ reason: z.enum(['done', 'duplicate', 'not planned']).describe('Reason') });
