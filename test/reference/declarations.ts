import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from '@babel/parser';
import type { Statement } from '@babel/types';
import { ROOT } from '../architecture/sources.js';

/** What a name is, as its built declaration says. */
export interface Declaration {
  kind: 'function' | 'class' | 'value' | 'type';
  /** Where it is declared, so that the same thing is known under several subpaths. */
  file: string;
  /** The declaration without `export` and `declare`, and without private members. */
  signature: string;
  /** The text of its comment, without tags; empty if it has none. */
  description: string;
  examples: string[];
  links: string[];
}

/** The exports of every subpath of the package, from its built declarations. */
export function publicDeclarations(): Map<string, Map<string, Declaration>> {
  const { exports } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  return new Map(
    Object.entries(exports).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return [];
      const name = `tenon${subpath.slice(1)}`;
      return [[name, exportsOf(join(ROOT, target.types))] as const];
    }),
  );
}

interface DeclarationFile {
  /** The declarations by name; overloads are several. */
  own: Map<string, Declaration[]>;
  /** Names that come from other files. */
  foreign: Map<string, { file: string; name: string }>;
  exported: Map<string, string>;
}

const files = new Map<string, DeclarationFile>();

function exportsOf(file: string): Map<string, Declaration> {
  const names = [...read(file).exported].sort(([one], [other]) => one.localeCompare(other, 'en'));
  return new Map(names.map(([name, local]) => [name, find(file, local)]));
}

function find(file: string, name: string): Declaration {
  const { own, foreign, exported } = read(file);
  const source = foreign.get(name);
  if (source) return find(source.file, source.name);
  const [first, ...others] = own.get(name) ?? own.get(exported.get(name) ?? '') ?? [];
  if (!first) throw new Error(`${file} does not declare ${name}; run npm run build first`);
  const all = [first, ...others];
  const documented = all.find(({ description }) => description !== '') ?? first;
  return { ...documented, signature: all.map(({ signature }) => signature).join('\n') };
}

function read(file: string): DeclarationFile {
  const known = files.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const read: DeclarationFile = { own: new Map(), foreign: new Map(), exported: new Map() };
  files.set(file, read);
  const { program } = parse(text, { sourceType: 'module', plugins: [['typescript', { dts: true }]] });
  for (const statement of program.body) readStatement(statement, text, file, read);
  return read;
}

function readStatement(statement: Statement, text: string, file: string, into: DeclarationFile): void {
  const origin = (source: string) => join(dirname(file), source.replace(/\.js$/, '.d.ts'));
  if (statement.type === 'ImportDeclaration') {
    for (const specifier of statement.specifiers) {
      if (specifier.type !== 'ImportSpecifier' || !statement.source.value.startsWith('.')) continue;
      into.foreign.set(specifier.local.name, {
        file: origin(statement.source.value),
        name: nameOf(specifier.imported),
      });
    }
    return;
  }
  if (statement.type === 'ExportNamedDeclaration' && statement.declaration == null) {
    for (const specifier of statement.specifiers) {
      if (specifier.type !== 'ExportSpecifier') continue;
      const name = nameOf(specifier.exported);
      const local = specifier.local.name;
      into.exported.set(name, statement.source ? name : local);
      if (statement.source) into.foreign.set(name, { file: origin(statement.source.value), name: local });
    }
    return;
  }
  const isExported = statement.type === 'ExportNamedDeclaration';
  const declaration = isExported ? statement.declaration : statement;
  const named = declaration && namesOf(declaration as Statement);
  if (!declaration || !named) return;
  const [kind, name] = named;
  const comment = statement.leadingComments?.findLast(({ value }) => value.startsWith('*'))?.value ?? '';
  const signature = clean(text.slice(declaration.start as number, declaration.end as number));
  into.own.set(name, [...(into.own.get(name) ?? []), { kind, file, signature, ...readComment(comment) }]);
  if (isExported) into.exported.set(name, name);
}

function nameOf(node: { type: string; name?: string; value?: string }): string {
  return (node.name ?? node.value) as string;
}

function namesOf(statement: Statement): [Declaration['kind'], string] | undefined {
  switch (statement.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return ['type', statement.id.name];
    case 'ClassDeclaration':
      return ['class', statement.id?.name as string];
    case 'TSDeclareFunction':
    case 'FunctionDeclaration':
      return ['function', statement.id?.name as string];
    case 'VariableDeclaration': {
      const [declarator] = statement.declarations;
      return declarator?.id.type === 'Identifier' ? ['value', declarator.id.name] : undefined;
    }
    default:
      return undefined;
  }
}

function clean(signature: string): string {
  return signature
    .replace(/^declare /, '')
    .replace(/\bimport\("[^"]*"\)\./g, '')
    .replace(/^ *(#private|private \w+).*;\n/gm, '')
    .replace(/^( {4})+/gm, indent => ' '.repeat(indent.length / 2));
}

/** The examples in the comments of members. */
export function examplesIn(signature: string): string[] {
  return [...signature.matchAll(/\/\*(\*[\s\S]*?)\*\//g)].flatMap(
    ([, comment]) => readComment(comment as string).examples,
  );
}

/** The parts of a comment: its text, `@example` and `@see`. Other tags are for tools. */
function readComment(comment: string): Pick<Declaration, 'description' | 'examples' | 'links'> {
  const text = comment
    .replace(/^\*/, '')
    .replace(/^\s*\* ?/gm, '')
    .trim();
  const [description = '', ...tags] = text.split(/^@/m);
  const tagged = (tag: string) =>
    tags
      .filter(part => part.startsWith(`${tag} `) || part.startsWith(`${tag}\n`))
      .map(part => part.slice(tag.length).trim());
  return { description: description.trim(), examples: tagged('example'), links: tagged('see') };
}
