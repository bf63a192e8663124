import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/settings/config.ts';
import { BACKEND_LIMITS } from '../../src/gateway/backend/limits.ts';
import { LOG_LIMITS } from '../../streams/log/limits.ts';
import { OWNER_LIMITS } from '../../actors/runtime/limits.ts';
import { STREAMS } from '../../streams/log/stream-definitions.ts';

/*
 * Docker cannot run everywhere the tests do: here the deployment files are held against the code and each other, so
 * that a renamed variable, port, role or file is found before somebody deploys it.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const isThere = (path: string) => existsSync(join(ROOT, path));

interface Service {
  build?: string;
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  networks?: string[];
  network_mode?: string;
  profiles?: string[];
  secrets?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck: { test?: string[]; disable?: boolean };
}
const compose: {
  services: Record<string, Service>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
} = parse(read('docker-compose.yml'), { merge: true });
const services = Object.entries(compose.services);
const own = services.filter(([, service]) => service.build !== undefined);
/** The service's roles; the container that migrates needs ClickHouse only. */
const roles = own.filter(([, { environment }]) => environment?.['ROLES'] !== undefined);
const brokers = services.filter(([, service]) => service.image.startsWith('nats:'));
const dockerfile = read('Dockerfile');
const manifest: { scripts: Record<string, string>; optionalDependencies: Record<string, string> } = JSON.parse(
  read('package.json'),
);

/** Variables the images we did not make know, by image. */
const IMAGE_VARIABLES: Record<string, string[]> = {
  nats: [...read('streams/nats/nats-cluster.conf').matchAll(/\$([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name!),
  'clickhouse/clickhouse-server': [
    'CLICKHOUSE_USER',
    'CLICKHOUSE_PASSWORD',
    'CLICKHOUSE_DB',
    'CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT',
  ],
  'prom/prometheus': [],
  'natsio/prometheus-nats-exporter': [],
  // Its own settings begin with GF_; the others are those that provisioning names.
  'grafana/grafana': [
    'GF_SECURITY_ADMIN_PASSWORD',
    'GF_PLUGINS_PREINSTALL',
    ...[
      ...read('deploy/grafana/provisioning/datasources/sources.yml').matchAll(
        /: \$([A-Z][A-Z_]*)|\{ password: \$([A-Z_]+)/g,
      ),
    ].map(([, name, secret]) => name ?? secret ?? ''),
  ],
};
/** Ports the images listen on. */
const IMAGE_PORTS: Record<string, number[]> = {
  nats: [4222, 6222, 8222],
  'clickhouse/clickhouse-server': [8123, 9000, 9363],
  'prom/prometheus': [9090],
  'grafana/grafana': [3000],
};

/** Stands for the files of secrets in a container. */
const MOUNTED = `${mkdtempSync(join(tmpdir(), 'player-analytics-mounted-'))}/`;
for (const name of Object.keys(compose.secrets)) writeFileSync(MOUNTED + name, `${name}\n`);
afterAll(() => rmSync(MOUNTED, { recursive: true }));

const imageName = (service: Service) => service.image.split(':')[0] ?? '';

/** The environment as a container sees it: the Dockerfile's, then the service's, with `${…}` and secrets filled in. */
function environmentOf(service: Service): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [, pairs] of dockerfile.matchAll(/^ENV (.+)$/gm)) {
    for (const pair of pairs!.split(' ')) environment[pair.split('=')[0]!] = pair.split('=')[1]!;
  }
  for (const [name, value] of Object.entries(service.environment ?? {})) {
    environment[name] = value.replace(/\$\{[^}]+\}/g, 'filled-in').replace('/run/secrets/', MOUNTED);
  }
  return environment;
}

/** The configuration the code makes of an environment, and the variables it looked at. */
function configOf(service: Service) {
  const looked = new Set<string>();
  const env = new Proxy(environmentOf(service), {
    get(target, name) {
      looked.add(String(name));
      return Reflect.get(target, name) as unknown;
    },
  });
  return { config: readConfig(env), looked };
}

/** Host and port of every URL in a text. */
function addressesIn(text: string): { host: string; port: number }[] {
  return [...text.matchAll(/\w+:\/\/([\w.-]+):(\d+)/g)].map(([, host, port]) => ({ host: host!, port: Number(port) }));
}

function portsOf(service: Service): number[] {
  return service.build === undefined ? IMAGE_PORTS[imageName(service)]! : [configOf(service).config.port];
}

describe('docker-compose.yml', () => {
  test.each(own)('%s: the service reads every variable it is given, and accepts its value', (_name, service) => {
    const { looked } = configOf(service);
    expect(Object.keys(service.environment ?? {}).filter((name) => !looked.has(name))).toEqual([]);
  });

  test.each(services.filter(([, { build }]) => build === undefined))(
    '%s: its image knows every variable',
    (_n, service) => {
      const known = IMAGE_VARIABLES[imageName(service)]!;
      expect(Object.keys(service.environment ?? {}).filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  test('every role runs, each in a service of its own that bears its name', () => {
    expect(roles.map(([name, service]) => [name, configOf(service).config.roles])).toEqual([
      ['gateway', ['gateway']],
      ['actors', ['actors']],
      ['sinks', ['sinks']],
    ]);
    expect(roles.map(([name]) => name).sort()).toEqual([...readConfig({}).roles].sort());
  });

  test.each(services)('%s: its image has a fixed version', (_name, service) => {
    expect(service.image).toMatch(/:v?\d+\.\d+/);
  });

  test.each(services)('%s: is checked for health, on a port it listens on', (_name, service) => {
    if (service.healthcheck.disable === true) return;
    const addresses = addressesIn(service.healthcheck.test!.join(' '));
    expect(addresses).toHaveLength(1);
    expect(portsOf(service)).toContain(addresses[0]!.port);
    expect(addresses[0]!.host).toBe('127.0.0.1');
  });

  test.each(services)('%s: every service, network, volume and file it names is there', (_name, service) => {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(compose.services).toHaveProperty(other);
      if (condition === 'service_healthy') expect(compose.services[other]!.healthcheck.test).toBeDefined();
    }
    for (const network of service.networks ?? []) expect(compose.networks).toHaveProperty(network);
    for (const volume of service.volumes ?? []) {
      const source = volume.split(':')[0]!;
      if (source.startsWith('./')) expect(isThere(source), source).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
    }
    for (const argument of service.command ?? []) {
      if (argument.endsWith('.ts')) expect(isThere(argument), argument).toBe(true);
      if (argument.endsWith('.conf')) expect(service.volumes!.some((v) => v.includes(`:${argument}:`))).toBe(true);
    }
  });

  test.each(roles)(
    '%s: its URLs lead to services on a network it shares, at ports they listen on',
    (_name, service) => {
      const { config } = configOf(service);
      const addresses = addressesIn(`${config.natsUrl} ${config.clickhouse.url}`);
      expect(addresses.map(({ host }) => host).sort()).toEqual(['clickhouse', ...brokers.map(([name]) => name)].sort());
      for (const { host, port } of addresses) {
        const target = compose.services[host]!;
        expect(portsOf(target)).toContain(port);
        expect(target.networks!.some((network) => service.networks!.includes(network))).toBe(true);
      }
    },
  );

  test('what is published is the port the gateway listens on', () => {
    const published = services.flatMap(([name, { ports }]) => (ports ?? []).map((port) => [name, port]));
    expect(published).toEqual([
      ['gateway', '127.0.0.1:8080:8080'],
      ['grafana', '127.0.0.1:3000:3000'],
    ]);
    expect(configOf(compose.services['gateway']!).config).toMatchObject({ host: '0.0.0.0', port: 8080 });
  });

  test.each(services)('%s: has the secrets that its settings name, from files, and no others', (_name, service) => {
    const named = Object.values(service.environment ?? {}).filter((value) => value.startsWith('/run/secrets/'));
    expect(named.map((path) => path.slice('/run/secrets/'.length)).toSorted()).toEqual(
      (service.secrets ?? []).toSorted(),
    );
    for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret);
  });

  test.each(own)('%s: has no capabilities, and writes nothing but its volume and /tmp', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test('the service and ClickHouse agree on user, password and database', () => {
    const server = compose.services['clickhouse']!.environment!;
    for (const [, service] of own) {
      expect(service.environment).toMatchObject({
        CLICKHOUSE_USER: server['CLICKHOUSE_USER'],
        CLICKHOUSE_PASSWORD_FILE: '/run/secrets/clickhouse_password',
        CLICKHOUSE_DATABASE: server['CLICKHOUSE_DB'],
      });
    }
  });

  test('the service logs in to the brokers with the password that they ask for, and every variable of theirs is set', () => {
    const unquoted = (text = '') => text.replace(/^"(.*)"$/, '$1');
    for (const [, { environment = {} }] of brokers) {
      expect(Object.keys(environment).sort()).toEqual([...IMAGE_VARIABLES['nats']!].sort());
      // Without quotes the broker would take digits for a number.
      for (const value of Object.values(environment)) expect(value).toMatch(/^".*"$/);
      expect(unquoted(environment['NATS_PASSWORD'])).toMatch(/^\$\{NATS_PASSWORD:/);
      for (const [, service] of roles) {
        expect(service.environment).toMatchObject({ NATS_USER: 'service' });
        expect(configOf(service).config.natsAccess.login).toMatchObject({ kind: 'password', user: 'service' });
      }
    }
    expect(read('streams/nats/nats-cluster.conf')).toContain('user: "service", password: $NATS_PASSWORD');
  });

  test('streams are kept on every broker, and every broker is routed to', () => {
    for (const [name, { command, volumes, environment = {} }] of brokers) {
      const routes = Object.entries(environment).filter(([variable]) => variable.startsWith('NATS_ROUTE_'));
      const hosts = routes.map(([, route]) => /@([\w-]+):6222"$/.exec(route)?.[1]).filter((host) => host !== undefined);
      expect(hosts).toEqual(brokers.map(([broker]) => broker));
      expect(command!.slice(-4)).toEqual(['-sd', '/data', '--name', name]);
      expect(volumes).toContain(`${name}:/data`);
    }
    for (const [, service] of roles) expect(configOf(service).config.natsReplicas).toBe(brokers.length);
  });
});

describe('the profile `monitoring`', () => {
  const monitoring = services.filter(([, { profiles }]) => profiles !== undefined);

  test('is started only when somebody asks for it, and nothing else depends on it', () => {
    expect(monitoring.map(([name]) => name)).toEqual([
      ...brokers.map((_, place) => `nats-exporter-${place + 1}`),
      'prometheus',
      'grafana',
    ]);
    for (const [, { depends_on: others = {}, profiles }] of services) {
      if (profiles !== undefined) continue;
      for (const other of Object.keys(others)) expect(monitoring.map(([name]) => name)).not.toContain(other);
    }
  });

  test('scrapes every process, broker and ClickHouse, at ports they listen on', () => {
    const config: { scrape_configs: ScrapeConfig[] } = parse(read('deploy/prometheus/prometheus.yml'));
    const [player, nats, clickhouse] = config.scrape_configs;
    expect(player!.dns_sd_configs).toMatchObject([
      { names: roleNames(), port: configOf(own[0]![1]).config.metricsPort },
    ]);
    expect(nats!.static_configs![0]!.targets).toEqual(brokers.map(([name]) => `${name}:7777`));
    expect(clickhouse!.static_configs![0]!.targets).toEqual(['clickhouse:9363']);
    expect(read('deploy/prometheus/clickhouse-metrics.xml')).toContain('<port>9363</port>');
    for (const [place, [name]] of brokers.entries()) {
      const exporter = compose.services[`nats-exporter-${place + 1}`]!;
      expect(exporter.network_mode).toBe(`service:${name}`);
      expect(exporter.command).toContain('7777');
    }
  });

  test('gives Grafana every variable that its provisioning names, and the folder of the dashboards', () => {
    const grafana = compose.services['grafana']!;
    expect(Object.keys(grafana.environment!).sort()).toEqual([...IMAGE_VARIABLES['grafana/grafana']!].sort());
    const provider = read('deploy/grafana/provisioning/dashboards/player-analytics.yml');
    const [, path] = /path: (\S+) /.exec(provider) ?? [];
    expect(grafana.volumes).toContain(`./deploy/grafana/dashboards:${path}:ro`);
    const { port } = addressesIn(grafana.environment!['PROMETHEUS_URL']!)[0]!;
    expect(portsOf(compose.services['prometheus']!)).toContain(port);
  });

  const roleNames = (): string[] =>
    own.filter(([, { environment }]) => environment?.['ROLES'] !== undefined).map(([name]) => name);
});

interface ScrapeConfig {
  dns_sd_configs?: { names: string[]; port: number }[];
  static_configs?: { targets: string[] }[];
}

describe('Dockerfile', () => {
  const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '));
  const ignored = read('.dockerignore').split('\n');

  test.each(copied)('%s is there and is sent to the builder', (source) => {
    expect(isThere(source)).toBe(true);
    expect(ignored).toContain(`!${source}`);
  });

  test('runs the Node that is pinned', () => {
    const pinned = Object.values(manifest.optionalDependencies);
    const [, version] = /^FROM node:([\d.]+)-/m.exec(dockerfile) ?? [];
    expect(new Set(pinned)).toEqual(new Set([version]));
  });

  test('exposes the port the service listens on and starts a file that is copied', () => {
    const [, exposed] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? [];
    expect(Number(exposed)).toBe(readConfig(environmentOf({ image: '', healthcheck: {} })).port);
    expect(dockerfile).toMatch(
      /^CMD \["node", "--max-semi-space-size=32", "--max-old-space-size=2000", "--no-allocation-site-pretenuring", "src\/main.ts"\]$/m,
    );
    expect(isThere('src/main.ts')).toBe(true);
  });
});

describe.each(['nats-server.conf', 'nats-cluster.conf'])('streams/nats/%s', (file) => {
  const text = read(`streams/nats/${file}`);
  const number = (name: string) => Number(new RegExp(`^\\s*${name}: (\\d+)$`, 'm').exec(text)?.[1]);

  test('acknowledges only what is on disk', () => {
    expect(text).toMatch(/^\s*sync_interval: always$/m);
  });

  test('takes the largest record and holds every stream at its limit', () => {
    const definitions = Object.values(STREAMS);
    const needed = (storage: string) =>
      definitions.filter((stream) => stream.storage === storage).reduce((sum, stream) => sum + stream.maxBytes, 0);
    expect(number('max_payload')).toBe(LOG_LIMITS.brokerPayloadBytes);
    expect(number('max_payload')).toBeGreaterThan(
      Math.max(OWNER_LIMITS.commitBytes, BACKEND_LIMITS.requestsBatchBytes),
    );
    expect(number('max_pending')).toBeGreaterThanOrEqual(4 * LOG_LIMITS.brokerPayloadBytes);
    expect(number('max_memory_store')).toBeGreaterThanOrEqual(needed('memory'));
    expect(number('max_file_store')).toBeGreaterThanOrEqual(needed('file'));
  });

  test('shows monitoring to nobody outside', () => {
    expect(text.match(/^\s*http\w*:.*$/gm) ?? []).toEqual(
      file === 'nats-cluster.conf' ? ['http: "127.0.0.1:8222"'] : [],
    );
  });
});

describe('.ci/run', () => {
  test('can be run, and names only scripts that exist', () => {
    accessSync(join(ROOT, '.ci/run'), constants.X_OK);
    const named = [...read('.ci/run').matchAll(/\bnpm (?:run )?(check|test|start|bench)\b/g)].map(([, name]) => name!);
    expect(named).toEqual(['check', 'test']);
    for (const name of named) expect(manifest.scripts).toHaveProperty(name);
  });
});
