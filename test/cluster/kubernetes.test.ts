import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../cli/run.js';
import { startCommand } from '../cli/running.js';
import { isInstalled, PACKAGES } from '../services/programs.js';
import { type RedisService, startRedis } from '../services/redis.js';

const FOLDER = join(ROOT, 'examples/cluster');
const KEY = 'k'.repeat(32);
/** How long `tenon serve` takes to hand its tasks over, at most. */
const HANDING_OVER_SECONDS = 5;

type Labels = Record<string, string>;
interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  command: string[];
  args: string[];
  env: { name: string; value: string }[];
  envFrom: { secretRef: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe?: Probe;
  livenessProbe: Probe;
  lifecycle?: { preStop: { exec: { command: [string, string] } } };
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Labels };
  stringData: Record<string, string>;
  spec: {
    selector: Labels & { matchLabels: Labels };
    ports: { targetPort: string }[];
    template: {
      metadata: { labels: Labels };
      spec: { terminationGracePeriodSeconds: number; containers: [Container] };
    };
  };
}

const manifests = readdirSync(join(FOLDER, 'kubernetes')).flatMap(file =>
  parseAllDocuments(readFileSync(join(FOLDER, 'kubernetes', file), 'utf8')).map(
    document => document.toJS() as Manifest,
  ),
);
const ofKind = (kind: string) => manifests.filter(manifest => manifest.kind === kind);
const deployments = ofKind('Deployment').map(manifest => {
  const { template } = manifest.spec;
  return { name: manifest.metadata.name, template, container: template.spec.containers[0] };
});

const SCHEMAS = join(PACKAGES, 'node_modules/kubernetes-models');
const hasSchemas = existsSync(SCHEMAS);
if (!hasSchemas && process.env.CI) throw new Error('run npm run test:services: the schemas are missing');

it.runIf(hasSchemas)('the manifests are valid by the schemas of Kubernetes', async () => {
  for (const manifest of manifests) {
    const { [manifest.kind]: Model } = await import(
      pathToFileURL(join(SCHEMAS, manifest.apiVersion, 'index.mjs')).href
    );
    new Model(manifest).validate();
  }
  expect(manifests.map(({ kind }) => kind).sort()).toEqual([
    'Deployment',
    'Deployment',
    'PodDisruptionBudget',
    'PodDisruptionBudget',
    'Secret',
    'Service',
  ]);
});

it('services and budgets select the pods of a deployment', () => {
  const pods = deployments.map(({ template }) => template.metadata.labels);
  for (const manifest of [...ofKind('Deployment'), ...ofKind('PodDisruptionBudget')])
    expect(pods).toContainEqual(manifest.spec.selector.matchLabels);
  for (const { spec } of ofKind('Service')) {
    const selected = deployments.filter(({ template }) => {
      const { labels } = template.metadata;
      return Object.entries(spec.selector).every(([name, value]) => labels[name] === value);
    });
    expect(selected).toHaveLength(1);
    const names = selected[0]?.container.ports.map(({ name }) => name);
    for (const { targetPort } of spec.ports) expect(names).toContain(targetPort);
  }
});

it.each(deployments)('$name has time to end before it is killed', ({ template, container }) => {
  const { args, lifecycle } = container;
  const isServing = !args.includes('--worker');
  const grace = isServing ? Number(args[args.indexOf('--grace') + 1]) : 0;
  const waiting = Number(lifecycle?.preStop.exec.command[1] ?? 0);
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(waiting + grace + HANDING_OVER_SECONDS);
});

describe.runIf(isInstalled('redis'))('with Redis', () => {
  let redis: RedisService;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  it.each(deployments)('$name starts, and answers its probes', async ({ container }) => {
    const { command, args, env, envFrom, ports, ...probes } = container;
    const [program, ...words] = command;
    expect(program).toBe('node_modules/.bin/tenon');
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(Number(variables.PORT)).toBe(ports[0]?.containerPort);
    const secrets = ofKind('Secret').filter(({ metadata }) => metadata.name === envFrom[0]?.secretRef.name);
    expect(Object.keys(secrets[0]?.stringData ?? {})).toEqual(['STORE_URL', 'TENON_KEYS']);
    const running = startCommand([...words, ...args], {
      cwd: FOLDER,
      // Of this run: its own store and keys, any free port, and loopback.
      env: { ...variables, STORE_URL: redis.url, TENON_KEYS: KEY, PORT: '0', HOST: '127.0.0.1' },
    });
    try {
      const health = await running.line(line => line.health as string | undefined);
      for (const probe of [probes.startupProbe, probes.readinessProbe, probes.livenessProbe]) {
        if (!probe) continue;
        expect(probe.httpGet.port).toBe(ports[0]?.name);
        expect((await fetch(new URL(probe.httpGet.path, health))).status).toBe(200);
      }
      expect(await running.end('SIGTERM')).toBe(0);
    } finally {
      await running.end('SIGKILL');
    }
  });
});
