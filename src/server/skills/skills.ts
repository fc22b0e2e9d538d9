import { clip } from '../../base/clip.js';
import { defined } from '../../base/defined.js';
import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type CacheHint, withCacheHint } from '../../protocol/caching.js';
import { invalidParams, resourceNotFound } from '../../protocol/errors.js';
import { readEntry } from '../../skills/entry.js';
import { SKILLS_ID, type Skill } from '../../skills/skill.js';
import type { Extension } from '../extension.js';
import { extension } from '../extensions/define.js';
import { type ExtensionMethod, method } from '../extensions/messages.js';
import type { ListedResource, ListReturn } from '../registry/resources.js';
import type { Server } from '../server.js';
import { contentsOf } from './contents.js';
import type { SkillPage, SkillProvider } from './provider.js';

/** The options of `skills`. */
export interface SkillsOptions {
  /** How long clients may cache entries and files: not at all by default. */
  cacheHint?: CacheHint | undefined;
  /** How many skills of a folder a page of the list has: 100 by default. */
  pageSize?: number | undefined;
  /** Receives skills of a folder that are not served, and why; they are printed to standard error if not set. */
  onProblem?: ((problem: SkillProblem) => void) | undefined;
}

/** A skill that is not served. */
export interface SkillProblem {
  /** The path of the skill in the folder, with slashes. */
  path: string;
  /** Why, and what to change. */
  problem: string;
}

const SKILLS_OPTIONS: OptionNames<SkillsOptions> = { cacheHint: 1, pageSize: 1, onProblem: 1 };

const PAGE = { type: 'object', properties: { cursor: { type: 'string' } } } as const;
const ONE = { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] } as const;
const DIRECTORY_PAGE = { ...ONE, properties: { ...ONE.properties, ...PAGE.properties } } as const;

/** The extension for any provider; `skills` of each platform adds the kinds of sources that it can open. */
export function serveSkills(provider: SkillProvider, options: SkillsOptions = {}): Extension {
  checkOptions(options, SKILLS_OPTIONS, 'skills');
  if (
    typeof provider?.list !== 'function' ||
    typeof provider.get !== 'function' ||
    typeof provider.read !== 'function'
  )
    throw new UsageError('skills needs a folder, or a provider with the functions list, get and read');
  const hint = withCacheHint({}, options.cacheHint ?? { ttlMs: 0, cacheScope: 'private' });
  return extension({
    id: SKILLS_ID,
    settings: provider.readDirectory ? { directoryRead: true } : {},
    // The extension asks only servers to declare it.
    needsClient: false,
    methods: {
      'skills/list': listMethod(provider, hint),
      'skills/get': getMethod(provider, hint),
      ...(provider.readDirectory && { 'resources/directory/read': directoryMethod(provider) }),
    },
    install: server => addFiles(server, provider, hint),
  });
}

function listMethod(provider: SkillProvider, hint: CacheHint): ExtensionMethod {
  return method(PAGE, async ({ cursor }) => {
    const { skills, nextCursor } = await provider.list(cursor);
    return { skills: skills.map(checked), ...defined({ nextCursor }), ...hint };
  });
}

function getMethod(provider: SkillProvider, hint: CacheHint): ExtensionMethod {
  return method(ONE, async ({ uri }) => {
    const skill = await provider.get(uri);
    if (!skill) throw invalidParams(`no skill is served at ${clip(uri)}`, { uri });
    return { skill: checked(skill), ...hint };
  });
}

function directoryMethod(provider: SkillProvider): ExtensionMethod {
  return method(DIRECTORY_PAGE, async ({ uri, cursor }) => {
    const page = await provider.readDirectory?.(uri, cursor);
    if (!page) throw invalidParams(`${clip(uri)} is not a directory resource`, { uri });
    return { resources: page.resources, ...defined({ nextCursor: page.nextCursor }) };
  });
}

/** Clients must not load an entry that breaks the rules, so it is an error of the provider. */
function checked(skill: Skill): Skill {
  const read = readEntry(skill);
  if ('problem' in read)
    throw new UsageError(`the provider of skills gave an invalid entry: ${read.problem}`);
  return read.skill;
}

/** Files are ordinary resources, for clients without the extension, too. Only the `SKILL.md` of each skill is listed. */
function addFiles(server: Server, provider: SkillProvider, cacheHint: CacheHint): void {
  const { scheme = 'skill' } = provider;
  const files = server.resource(
    `${scheme}://{+path}`,
    {
      name: `${scheme}-files`,
      title: 'Files of skills',
      cacheHint,
      list: async ({ cursor }): Promise<ListReturn> => listFiles(await provider.list(cursor)),
    },
    async (_, ctx) => {
      const content = await provider.read(ctx.uri);
      if (content === undefined) throw resourceNotFound(ctx.uri);
      return contentsOf(ctx.uri, content);
    },
  );
  provider.watch?.(uris => {
    files.listChanged();
    for (const uri of uris) files.changed(uri);
  });
}

function listFiles({ skills, nextCursor }: SkillPage): ListReturn {
  return { resources: skills.map(listFile), nextCursor };
}

function listFile({ uri, frontmatter: { name, description }, resources }: Skill): ListedResource {
  const size = resources === 'dynamic' ? undefined : resources.find(file => file.uri === uri)?.size;
  return { uri, name, description, mimeType: 'text/markdown', ...defined({ size }) };
}
