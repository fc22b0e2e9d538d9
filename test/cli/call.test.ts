import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT, tenon } from './run.js';
import { BISTRO_PROGRAM, badProgram, useBistro } from './servers.js';

const folder = mkdtempSync(join(tmpdir(), 'tenon-call-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EVERYTHING = [
  '--',
  process.execPath,
  join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
];
const PNG = Buffer.from('\x89PNG', 'latin1');

describe.concurrent('tenon call', () => {
  const bistro = useBistro();
  const call = (...args: string[]) => tenon(['call', bistro.url, ...args]);

  it('shows structured content as a table', async () => {
    const { code, stdout, stderr } = await call('list_tables', '--seats', '4');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/tables\n +id +seats +free\n +fireplace +4 +true\n/);
  });

  it('calls a tool of a program', async () => {
    const { code, stdout } = await tenon(['call', 'cook', '--dish', 'quiche', ...BISTRO_PROGRAM]);
    expect(code).toBe(0);
    expect(stdout).toContain('is served: quiche. Bon appétit!');
  });

  it.each([
    ['--args', ['--args', '{"day":"friday"}']],
    ['--json and an object', ['--json', '{"day":"friday"}']],
    ['--arg', ['--arg', 'day=friday']],
    ['an option with =', ['--day=friday']],
  ])('takes arguments as %s', async (_, words) => {
    const { code, stdout } = await call('show_menu', ...words);
    expect(code).toBe(0);
    expect(stdout).toContain('# friday');
    expect(stdout).toContain('menu://saturday');
  });

  it('takes arguments from a file and from standard input', async () => {
    const file = join(folder, 'day.json');
    writeFileSync(file, '{"day":"friday"}');
    expect((await call('show_menu', `@${file}`)).stdout).toContain('# friday');
    const { stdout } = await tenon(['call', bistro.url, 'show_menu', '-'], { input: '{"day":"sunday"}' });
    expect(stdout).toContain('# sunday');
  });

  it('prints the whole result with --json', async () => {
    const { code, stdout } = await call('list_specials', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      structuredContent: expect.anything(),
      content: expect.any(Array),
    });
  });

  it('saves pictures where the user says, and says where', async () => {
    const file = join(folder, 'quiche.png');
    const { code, stdout } = await call('show_dish', '--dish', 'quiche', '--save', `${folder}/dishes/`);
    expect(code).toBe(0);
    const path = join(folder, 'dishes', 'picture.png');
    expect(stdout).toContain(path);
    expect(readFileSync(path).subarray(0, 4)).toEqual(PNG);
    await tenon(['read', bistro.url, 'bistro://sign.png', '--save', file]);
    expect(readFileSync(file).subarray(0, 4)).toEqual(PNG);
  });

  it('saves the picture, not the words around it, into the file that the user names', async () => {
    const own = mkdtempSync(join(folder, 'tiny-'));
    const file = join(own, 'tiny.png');
    const { code } = await tenon(['call', 'get-tiny-image', '--save', file, ...EVERYTHING]);
    expect(code).toBe(0);
    expect(readFileSync(file).subarray(0, 4)).toEqual(PNG);
    expect(readdirSync(own)).toEqual(['tiny.png']);
  });

  it('gives files the extension of their type where the user names none', async () => {
    const own = mkdtempSync(join(folder, 'types-'));
    const { stdout } = await call('show_dish', '--dish', 'quiche', '--save', join(own, 'lunch'));
    expect(stdout).toContain(join(own, 'lunch.png'));
    await call('list_tables', '--save', join(own, 'tables'));
    await call('show_dish', '--dish', 'quiche', '--save', join(own, 'dinner.picture'));
    expect(readdirSync(own).sort()).toEqual(['dinner.picture', 'lunch.png', 'tables.json']);
  });

  it('saves sounds into a temporary file without --save', async () => {
    const { stdout } = await call('ring_bell');
    const [path = ''] = stdout.split('  ');
    expect(stdout).toContain('audio/wav');
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('RIFF');
    rmSync(join(path, '..'), { recursive: true });
  });

  it('ends with 1 if the tool failed, and prints what the tool says', async () => {
    const { code, stdout, stderr } = await call('cook', '--dish', 'pizza');
    expect(code).toBe(1);
    expect(stdout).toContain('"pizza" is on no menu');
    expect(stderr).toContain('the tool cook failed');
  });

  it.each([
    ['a tool that does not exist', ['reserv'], 'Did you mean "reserve"?'],
    ['an argument that does not exist', ['show_menu', '--dy', 'friday'], 'Did you mean --day?'],
    ['a value that is not among the choices', ['show_menu', '--day', 'fridy'], 'Did you mean "friday"?'],
    ['a text for a number', ['list_tables', '--seats', 'four'], '--seats takes an integer'],
    ['an option without its value', ['show_menu', '--day'], '--day needs a value'],
    ['a word that is no option', ['show_menu', 'friday'], 'Arguments are given as --day VALUE'],
    ['arguments that are no JSON', ['show_menu', '--args', '{day}'], 'the arguments are not JSON'],
    ['a file that is not there', ['show_menu', '@nothing.json'], 'cannot read @nothing.json'],
    ['a root that is not there', ['find_cookbooks', '--root', 'nowhere'], 'nowhere does not exist'],
    ['an answer that cannot be read', ['book_party', '--answer', 'yes'], '--answer decline'],
  ])('refuses %s, and says what to do', async (_, args, advice) => {
    const { code, stderr } = await call(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(advice);
  });

  it('names missing arguments where there is no terminal', async () => {
    const { code, stderr } = await call('reserve', '--table', 'window');
    expect(code).toBe(2);
    expect(stderr).toContain('the tool reserve needs --guests (integer, at least 1), --name (text)');
  });

  it('shows the arguments of a tool with --help', async () => {
    const { code, stdout } = await call('show_menu', '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/--day +one of monday, tuesday/);
    expect((await tenon(['call', '--help'])).stdout).toContain('Examples:');
  });

  it('names all answers in its help, and no empty defaults', async () => {
    const commands = ['call', 'prompt', 'listen', 'replay', 'config'];
    const helps = await Promise.all(commands.map(name => tenon([name, '--help'])));
    for (const { stdout } of helps) expect(stdout).not.toContain('(default: [])');
    expect(helps[0]?.stdout.replace(/\s+/g, ' ')).toContain(
      'its form as JSON, `accept`, `decline` or `cancel`',
    );
  });

  it('runs a tool that only runs as a task, and shows what happens to it with --verbose', async () => {
    const query = ['simulate-research-query', '--topic', 'soup'];
    const { code, stdout, stderr } = await tenon(['call', ...query, '--verbose', ...EVERYTHING]);
    expect(code).toBe(0);
    expect(stdout).toContain('soup');
    expect(stderr).toMatch(/the call is the task \S+/);
    expect(stderr).toContain('task: working, ');
    const help = await tenon(['call', 'simulate-research-query', '--help', ...EVERYTHING]);
    expect(help.stdout).toContain('only as a task');
  });

  it.each(['2026-07-28', '2025-06-18'])('answers questions with --answer, in %s', async revision => {
    const args = ['book_party', '--occasion', 'wedding', '--revision', revision];
    const { code, stdout } = await call(
      ...args,
      '--answer',
      '{"guests": 12, "diet": "vegan", "terrace": true}',
    );
    expect(stdout).toContain('12 guests, diet vegan, on the terrace');
    expect(code).toBe(0);
    const declined = await call(...args, '--answer', 'decline');
    expect(declined).toMatchObject({ code: 1, stdout: 'The user did not want to book.\n' });
  });

  it.each(['2026-07-28', '2025-06-18'])(
    'says what is asked if there is no terminal, in %s',
    async revision => {
      const { code, stdout, stderr } = await call(
        'book_party',
        '--occasion',
        'wedding',
        '--revision',
        revision,
      );
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('the server asks “A table for the wedding: what do you need?”');
      expect(stderr).toMatch(/guests +integer, at least 2, at most 20 +required +How many guests\?\n/);
      expect(stderr).toMatch(/terrace +true or false +default false/);
      expect(stderr).toContain(`Add --answer '{"guests":2}'`);
    },
  );

  it.each([
    [
      'an unknown field',
      '{"gests": 12, "terrace": true}',
      'did you mean "guests"?',
      '{"guests":12,"terrace":true}',
    ],
    ['a wrong type', '{"guests": "six"}', 'guests cannot be "six" (a number, please)', '{"guests":2}'],
    ['a failing check', '{"guests": 1}', 'guests cannot be 1 (at least 2, please)', '{"guests":2}'],
    ['a wrong choice', '{"guests": 6, "diet": "x"}', 'not among the choices', '{"guests":6,"diet":"any"}'],
    ['a missing field', 'accept', 'guests is missing', '{"guests":2}'],
  ])('refuses an --answer with %s, and says which one would be right', async (_, answer, problem, right) => {
    const args = ['book_party', '--occasion', 'wedding', '--answer', answer];
    const outcomes = ['2026-07-28', '2025-06-18'].map(revision => call(...args, '--revision', revision));
    for (const { code, stdout, stderr } of await Promise.all(outcomes)) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(problem);
      expect(stderr).toMatch(/diet +one of any, vegetarian, vegan/);
      expect(stderr).toContain(`next: Write --answer '${right}', or --answer decline.`);
    }
    const { code } = await call('book_party', '--occasion', 'wedding', '--answer', right);
    expect(code).toBe(0);
  });

  it('warns of an --answer that no question has asked for', async () => {
    const { code, stderr } = await call('list_tables', '--seats', '4', '--answer', '{"guests": 2}');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: one --answer was not used: the server asked no further question\n',
    });
  });

  it('answers for a model with --sample, and names folders with --root', async () => {
    const wine = await call('recommend_wine', '--dish', 'quiche', '--sample', 'Chablis');
    expect(wine.stdout).toBe('With quiche: Chablis\n');
    const books = await call('find_cookbooks', '--root', ROOT);
    expect(books.stdout).toContain(ROOT.replace(/\/$/, ''));
  });

  it('says what is missing if the server wants a model', async () => {
    const { code, stderr } = await call('recommend_wine', '--dish', 'quiche');
    expect(code).toBe(1);
    expect(stderr).toContain('--sample TEXT');
  });

  it('shows log messages with --log, and progress with --verbose, on standard error', async () => {
    const { stdout, stderr } = await call('cook', '--dish', 'quiche', '--log', 'debug', '--verbose');
    expect(stdout).toContain('Bon appétit!');
    expect(stderr).toMatch(/info kitchen: order \d+: quiche/);
    expect(stderr).toContain('1/3 whisk the eggs');
  });

  it('reads members of objects by dots, also where a schema recurses', async () => {
    const args = ['--tree.name', 'oak', '--tree.left.left.name', 'elm'];
    const { code, stdout } = await tenon(['call', 'plant', ...args, ...badProgram('recursive')]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '{"tree":{"name":"oak","left":{"left":{"name":"elm"}}}}\n',
    });
    const help = await tenon(['call', 'plant', '--help', ...badProgram('recursive')]);
    expect(help.stdout).toContain('--tree.left.name');
  });
});
