import { z } from 'zod';
import { parseHostPort } from '@/domain/net/host-port';
import { parseIp } from '@/domain/net/ip-address';
import { processState } from './process-state';

const wholeNumber = (error: string, min: number, max: number) =>
  z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
const flag = z.enum(['true', 'false'], { error: 'accepted values are true and false' });
const cidrList = (text = '') =>
  z
    .string()
    .default(text)
    .transform((list) =>
      list
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .pipe(
      z.array(
        z.union([z.cidrv4(), z.cidrv6()], {
          error: 'a comma-separated list of CIDRs, for example 127.0.0.0/8,::1/128',
        }),
      ),
    );

/** Where to listen: an address, not a name, with a port. */
const listenAddress = z.string().transform((text, context) => {
  const found = parseHostPort(text);
  if (found?.port && parseIp(found.host)) return { host: found.host, port: found.port };
  context.addIssue({ code: 'custom', message: 'an address with a port, for example 0.0.0.0:2055 or [::]:2055' });
  return z.NEVER;
});

const CLICKHOUSE_FORM =
  'an http:// or https:// URL with user, password and database, for example https://fabric:password@clickhouse:8443/fabric';

/** The HTTP interface of a ClickHouse. What else the client would read from an address (options) has values of our own. */
const clickhouseUrl = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.search === '' && url.hash === '' && /^[/]?[\w-]*$/.test(url.pathname);
  if (!isPlain || !/^https?:$/.test(url.protocol)) context.addIssue({ code: 'custom', message: CLICKHOUSE_FORM });
});

/** The URL of a store. Errors of what parses it later have all of it, with its password. */
const storeUrl = (scheme: RegExp, form: string) =>
  z.string().superRefine((text, context) => {
    const encode = 'characters of its password are written as %2F (/), %40 (@), %23 (#), %3F (?), %25 (%)';
    const message = scheme.test(text) ? `${form} in which ${encode}` : form;
    if (!scheme.test(text) || !URL.canParse(text)) context.addIssue({ code: 'custom', message });
  });

/** Every variable the program reads. `.env.example` lists the same names; a test compares them. */
export const EnvSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'], { error: 'development, production or test' })
    .default('production'),
  PORT: wholeNumber('a port number, 0 to 65535', 0, 65535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: storeUrl(/^postgres(ql)?:\/\//, 'a postgres:// URL').optional(),
  REDIS_URL: storeUrl(/^rediss?:\/\//, 'a redis:// or rediss:// URL').optional(),
  CLICKHOUSE_URL: clickhouseUrl.optional(),
  DATABASE_POOL_SIZE: wholeNumber('a number of connections, 1 to 100', 1, 100).default(8),
  FABRIC_DATA_DIR: z.string().min(1).default('.data'),
  FABRIC_SECRET_KEY: z.string().min(32, 'at least 32 random characters').optional(),
  FABRIC_PREVIOUS_SECRET_KEY: z.string().min(32, 'the previous FABRIC_SECRET_KEY').optional(),
  FABRIC_SETUP_CODE: z.string().min(6, 'at least 6 characters').optional(),
  FABRIC_ALLOW_PRIVATE_TARGETS: cidrList(),
  FABRIC_TRUSTED_PROXIES: cidrList('127.0.0.0/8,::1/128'),
  FABRIC_SESSION_DAYS: wholeNumber('a number of days, 1 to 366', 1, 366).default(30),
  FABRIC_BREACHED_PASSWORDS: z.string().min(1).optional(),
  FABRIC_METRICS_TOKEN: z.string().min(16, 'at least 16 characters').optional(),
  FABRIC_WORKER_PORT: wholeNumber('a port number, 1 to 65535', 1, 65535).optional(),
  FABRIC_COLLECTOR_LISTEN: listenAddress.optional(),
  SEED_DEMO_DATA: flag.default('false').transform((v) => v === 'true'),
  DEMO_HISTORY_HOURS: wholeNumber('a number of hours, 2 to 24', 2, 24).default(24),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { error: 'trace, debug, info, warn, error or silent' })
    .default('info'),
});

export type Env = z.infer<typeof EnvSchema>;

/**
 * Parses variables. An empty string counts as absent, as in an `.env` file.
 * @throws Error with one line per wrong variable: its name and what is accepted.
 */
export function parseEnv(variables: Record<string, string | undefined>): Env {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = EnvSchema.safeParse(present);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  throw new Error(`Invalid environment: ${lines.join('; ')}`);
}

const kept = processState<{ env?: Env }>(() => ({ env: undefined }));

/** The environment of this process, parsed once. */
export function env(): Env {
  kept.env ??= parseEnv(process.env);
  return kept.env;
}

/**
 * What a server outside embedded mode needs besides `DATABASE_URL`; embedded mode creates these itself.
 * @throws Error with one line naming what is missing and how to get it
 */
export function assertProductionEnv(environment: Env): void {
  const missing = [
    !environment.REDIS_URL && 'REDIS_URL (redis://host:6379, for the job queues)',
    !environment.FABRIC_SECRET_KEY && 'FABRIC_SECRET_KEY (generate one with: openssl rand -base64 32)',
  ].filter(Boolean);
  if (missing.length > 0)
    throw new Error(`Invalid environment: with DATABASE_URL set, also set ${missing.join(' and ')}`);
}

/** Argument with which the embedded mode starts `web` and `worker`. */
export const EMBEDDED_ARGUMENT = '--embedded';

/**
 * What `web` and `worker` need before they open a store. Below the supervisor of the embedded mode the queues are in its
 * private database, so there is no `REDIS_URL`.
 * @throws Error with one line naming what is missing and how to get it
 */
export function assertServiceEnv(
  environment: Env,
  embedded: boolean,
): asserts environment is Env & { DATABASE_URL: string } {
  if (!environment.DATABASE_URL)
    throw new Error('Invalid environment: DATABASE_URL is missing. Use `npm start` for the embedded database.');
  assertDemoAllowed(environment);
  if (environment.NODE_ENV !== 'production') return;
  assertProductionEnv(embedded ? { ...environment, REDIS_URL: environment.DATABASE_URL } : environment);
}

/**
 * Demo data is for an installation of its own: embedded mode. A database that users run themselves is never filled
 * with it, and no simulated cluster runs beside it.
 * @throws Error with one line that explains how to get the demo
 */
export function assertDemoAllowed(environment: Pick<Env, 'SEED_DEMO_DATA' | 'DATABASE_URL'>): void {
  if (environment.SEED_DEMO_DATA && environment.DATABASE_URL) {
    throw new Error(
      'Invalid environment: SEED_DEMO_DATA=true is for the embedded mode. Leave DATABASE_URL unset (npm run demo), or set SEED_DEMO_DATA=false.',
    );
  }
}

/** The variables of this process with some added or replaced, for a process it starts. */
export function childEnvironment(overrides: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides };
}

/** Sets variables of this process, for a library that reads nothing else (Next's server reads PORT and HOSTNAME). */
export function setVariables(variables: Record<string, string>): void {
  Object.assign(process.env, variables);
}
