import { parseAst, transformWithEsbuild } from 'vite';

interface Node {
  type: string;
  [key: string]: unknown;
}

/** Everything in a file that runs, without types and comments. */
export async function nodesOf(text: string): Promise<Node[]> {
  // Files with elements, which those of the page are, have a syntax of their own.
  const loader = /<\/\w*>|\/>/.test(text) ? 'tsx' : 'ts';
  const { code } = await transformWithEsbuild(text, `file.${loader}`, {
    loader,
    target: 'es2022',
    sourcemap: false,
  });
  const nodes: Node[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (typeof (value as Node).type === 'string') nodes.push(value as Node);
    Object.values(value).forEach(visit);
  };
  visit(parseAst(code));
  return nodes;
}

/** The texts in quotes and backticks. */
export async function stringsOf(text: string): Promise<string[]> {
  return (await nodesOf(text)).flatMap(node => {
    if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
    if (node.type === 'TemplateElement') return [(node.value as { raw: string }).raw];
    return [];
  });
}

/** The names of members that are read, as `x.name`, `x['name']` or `{ name } = x`. */
export async function membersOf(text: string): Promise<string[]> {
  return (await nodesOf(text)).flatMap(node => {
    if (node.type === 'MemberExpression') return nameOf(node.property as Node);
    if (node.type === 'ObjectPattern') {
      return (node.properties as Node[]).flatMap(({ key }) => (key ? nameOf(key as Node) : []));
    }
    return [];
  });
}

/** Names that stand alone, such as a variable or a global; not those of members and keys. */
export async function identifiersOf(text: string): Promise<string[]> {
  const nodes = await nodesOf(text);
  const labels = new Set(
    nodes.flatMap(node => (node.computed || node.shorthand ? [] : [node.property, node.key])),
  );
  return nodes.flatMap(node =>
    node.type === 'Identifier' && !labels.has(node) ? [node.name as string] : [],
  );
}

function nameOf(node: Node): string[] {
  if (node.type === 'Identifier') return [node.name as string];
  return node.type === 'Literal' ? [String(node.value)] : [];
}
