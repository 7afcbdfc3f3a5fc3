import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

/* The files that start several workers say what the program needs of them. */

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** W8: a process ends what runs within ten seconds of the first signal. */
const endSecs = 10;

test('W8: compose.fleet.yaml has three workers on one database, each with time to end', () => {
  const { services } = parse(read('compose.fleet.yaml')) as {
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
