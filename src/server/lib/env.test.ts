import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assertDemoAllowed, assertProductionEnv, assertServiceEnv, EnvSchema, parseEnv } from './env';

const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
const assigned = Object.fromEntries(
  example
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

describe('compose.yaml', () => {
  /** Set by the image, and what only the embedded mode reads. */
  const WITHOUT = ['NODE_ENV', 'HOST', 'FABRIC_DATA_DIR'];
  const compose = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8');

  it('passes every variable that the containers read', () => {
    const names = Object.keys(EnvSchema.shape).filter((name) => !WITHOUT.includes(name));
    expect(names.filter((name) => !compose.includes(`${name}: `) && !compose.includes(`\${${name}:-`))).toEqual([]);
  });
});

describe('.env.example', () => {
  it('lists every variable, and no other', () => {
    expect(Object.keys(assigned).sort()).toEqual(Object.keys(EnvSchema.shape).sort());
  });

  it('shows the defaults', () => {
    expect(parseEnv(assigned)).toEqual(parseEnv({}));
  });

  it('explains each variable in the lines above it', () => {
    const lines = example.split('\n');
    for (const name of Object.keys(assigned)) {
      const above = lines.slice(
        0,
        lines.findIndex((line) => line.startsWith(`${name}=`)),
      );
      const block = above.slice(above.lastIndexOf('') + 1);
      expect(
        block.some((line) => line.startsWith('#')),
        name,
      ).toBe(true);
    }
  });
});

describe('parseEnv', () => {
  it('trusts proxies on this machine only, when nothing is said', () => {
    expect(parseEnv({}).FABRIC_TRUSTED_PROXIES).toEqual(['127.0.0.0/8', '::1/128']);
    expect(parseEnv({}).FABRIC_ALLOW_PRIVATE_TARGETS).toEqual([]);
  });

  it('takes an empty value as absent', () => {
    expect(parseEnv({ PORT: '', REDIS_URL: '' })).toEqual(parseEnv({}));
  });

  it.each([
    ['SEED_DEMO_DATA', '1', 'accepted values are true and false'],
    ['SEED_DEMO_DATA', 'TRUE', 'accepted values are true and false'],
    ['SEED_DEMO_DATA', 'yes', 'accepted values are true and false'],
    ['PORT', 'http', 'a port number, 0 to 65535'],
    ['PORT', '70000', 'a port number, 0 to 65535'],
    ['PORT', '80.5', 'a port number, 0 to 65535'],
    ['DATABASE_URL', 'mysql://db', 'a postgres:// URL'],
    ['REDIS_URL', 'localhost:6379', 'a redis:// or rediss:// URL'],
    [
      'DATABASE_URL',
      'postgres://fabric:a/b+c=@db:5432/fabric',
      'a postgres:// URL in which characters of its password',
    ],
    ['REDIS_URL', 'redis://:a/b@redis:6379', 'a redis:// or rediss:// URL in which characters of its password'],
    ...['clickhouse:8123', 'tcp://clickhouse:9000/fabric', 'http://ch:8123/a/b', 'http://ch/fabric?max_threads=1'].map(
      (url): [string, string, string] => [
        'CLICKHOUSE_URL',
        url,
        'an http:// or https:// URL with user, password and database',
      ],
    ),
    ['FABRIC_SECRET_KEY', 'short', 'at least 32 random characters'],
    ['FABRIC_ALLOW_PRIVATE_TARGETS', '10.0.0.1', 'a comma-separated list of CIDRs, for example 127.0.0.0/8,::1/128'],
    ['LOG_LEVEL', 'loud', 'trace, debug, info, warn, error or silent'],
    ['NODE_ENV', 'staging', 'development, production or test'],
    ['DATABASE_POOL_SIZE', '0', 'a number of connections, 1 to 100'],
    ['FABRIC_WORKER_PORT', '0', 'a port number, 1 to 65535'],
  ])('refuses %s=%s with one line that names what is accepted', (name, value, accepted) => {
    expect(() => parseEnv({ [name]: value })).toThrow(`Invalid environment: ${name}: ${accepted}`);
  });

  it('prints no part of a password', () => {
    expect(() => parseEnv({ DATABASE_URL: 'postgres://fabric:Zx9/topSECRET@db/fabric' })).toThrow(
      /^((?!Zx9|SECRET@).)*$/,
    );
  });

  it('names every wrong variable', () => {
    expect(() => parseEnv({ PORT: 'x', LOG_LEVEL: 'x' })).toThrow(/PORT: .*; LOG_LEVEL: /);
  });
});

describe('assertProductionEnv', () => {
  it('asks for what a database of one’s own needs besides it', () => {
    const url = 'postgres://db/fabric';
    expect(() => assertProductionEnv(parseEnv({ DATABASE_URL: url }))).toThrow(/REDIS_URL .* and FABRIC_SECRET_KEY /);
    expect(() => assertProductionEnv(parseEnv({ DATABASE_URL: url, REDIS_URL: 'redis://r' }))).toThrow(
      /also set FABRIC_SECRET_KEY /,
    );
    const all = { DATABASE_URL: url, REDIS_URL: 'redis://r', FABRIC_SECRET_KEY: 'k'.repeat(32) };
    expect(() => assertProductionEnv(parseEnv(all))).not.toThrow();
  });
});

describe('assertServiceEnv', () => {
  const all = { DATABASE_URL: 'postgres://db/fabric', REDIS_URL: 'redis://r', FABRIC_SECRET_KEY: 'k'.repeat(32) };
  const inProduction = { NODE_ENV: 'production', ...all };
  it.each([
    [{ DATABASE_URL: '' }, false, /^Invalid environment: DATABASE_URL is missing/],
    [{ FABRIC_SECRET_KEY: '' }, false, /^Invalid environment: .*also set FABRIC_SECRET_KEY \(generate one with: /],
    [{ REDIS_URL: '' }, false, /^Invalid environment: .*also set REDIS_URL \(redis:/],
    [{ REDIS_URL: '', FABRIC_SECRET_KEY: '' }, true, /^Invalid environment: .*also set FABRIC_SECRET_KEY \(/],
  ])('refuses a production without %o, embedded %s, in one line', (without, isEmbedded, message) => {
    expect(() => assertServiceEnv(parseEnv({ ...inProduction, ...without }), isEmbedded)).toThrow(message);
  });
  it('accepts what is complete, the queues of the embedded mode and development', () => {
    expect(() => assertServiceEnv(parseEnv(all), false)).not.toThrow();
    expect(() => assertServiceEnv(parseEnv({ ...all, REDIS_URL: '' }), true)).not.toThrow();
    const development = { NODE_ENV: 'development', DATABASE_URL: all.DATABASE_URL };
    expect(() => assertServiceEnv(parseEnv(development), false)).not.toThrow();
  });
});

describe('assertDemoAllowed', () => {
  it('keeps demo data away from a database that people run themselves', () => {
    const url = 'postgres://db/fabric';
    expect(() => assertDemoAllowed(parseEnv({ SEED_DEMO_DATA: 'true', DATABASE_URL: url }))).toThrow(
      /^Invalid environment: SEED_DEMO_DATA=true is for the embedded mode\. .*npm run demo/,
    );
    expect(() => assertDemoAllowed(parseEnv({ SEED_DEMO_DATA: 'true' }))).not.toThrow();
    expect(() => assertDemoAllowed(parseEnv({ SEED_DEMO_DATA: 'false', DATABASE_URL: url }))).not.toThrow();
  });
});

describe('deployment files', () => {
  /** Required by compose.yaml itself, and put into a URL there. */
  const ofCompose = new Set(['REDIS_PASSWORD']);
  it.each(['compose.yaml', 'Dockerfile', 'deploy/systemd/fabric.service', 'README.md', 'docs/operations.md'])(
    '%s names only variables that exist',
    (file) => {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      const names = text.match(/\b(FABRIC_[A-Z_]+|DATABASE_[A-Z_]+|REDIS_[A-Z_]+|SEED_[A-Z_]+|LOG_[A-Z_]+)\b/g) ?? [];
      expect(names.length).toBeGreaterThan(0);
      expect([...new Set(names)].filter((name) => !(name in EnvSchema.shape || ofCompose.has(name)))).toEqual([]);
    },
  );

  it('passes every optional variable of a container on', () => {
    const compose = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8');
    // Set by the image, or of no use in a container.
    const fixed = ['NODE_ENV', 'PORT', 'HOST', 'FABRIC_DATA_DIR', 'DATABASE_POOL_SIZE'];
    for (const name of Object.keys(EnvSchema.shape).filter((item) => !fixed.includes(item))) {
      expect(compose, name).toMatch(new RegExp(`^ +${name}: `, 'm'));
    }
  });
});
