import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { errnoCode } from './sys/errno';

export type Config = {
  /** Base address of the service. null only where the command needs none. */
  server_url: URL | null;
  ca_file: string | null;
  /** SHA-256 of the server's certificate, lower-case hex; then nothing else of the certificate is checked. */
  tls_fingerprint: string | null;
  allow_http: boolean;
  node_name: string;
  interval_seconds: number;
  flow_limit: number;
  firewall_log: string;
  /** The hypervisor's access log, which names who edited a firewall. null: it is not read. */
  access_log: string | null;
  state_directory: string;
  runtime_directory: string;
  log_level: 'info' | 'debug';
};

export const DEFAULT_CONFIG_FILE = '/etc/fabric-agent/agent.conf';
const ENV_PREFIX = 'FABRIC_AGENT_';
const MAX_FLOW_LIMIT = 20_000;

/** Directories that the installer makes below its own root, as it does the configuration file. */
const BELOW_ROOT: ReadonlySet<keyof Config> = new Set(['state_directory', 'runtime_directory']);

/**
 * Root of the installation that a configuration file belongs to: `/mnt` for `/mnt/etc/fabric-agent/agent.conf`, and the
 * system's own for every other place.
 */
function getInstallRoot(file: string | null): string {
  const path = file === null ? '' : resolve(file);
  return path.endsWith(DEFAULT_CONFIG_FILE) ? path.slice(0, -DEFAULT_CONFIG_FILE.length) : '';
}

/** A wrong setting, or several; the message has one line per problem. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

class Refusal extends Error {}

const SETTINGS: { [Name in keyof Config]: { fallback: () => Config[Name]; parse: (text: string) => Config[Name] } } = {
  server_url: { fallback: () => null, parse: parseServerUrl },
  ca_file: { fallback: () => null, parse: parsePath },
  tls_fingerprint: { fallback: () => null, parse: parseFingerprint },
  allow_http: { fallback: () => false, parse: parseBoolean },
  node_name: { fallback: () => hostname().split('.')[0] ?? 'localhost', parse: parseNodeName },
  interval_seconds: {
    fallback: () => AGENT_LIMITS.interval_seconds.default,
    parse: numberBetween(AGENT_LIMITS.interval_seconds.minimum, AGENT_LIMITS.interval_seconds.maximum),
  },
  flow_limit: { fallback: () => AGENT_LIMITS.flows_per_heartbeat, parse: numberBetween(1, MAX_FLOW_LIMIT) },
  firewall_log: { fallback: () => '/var/log/pve-firewall.log', parse: parsePath },
  access_log: {
    fallback: () => '/var/log/pveproxy/access.log',
    parse: (text) => (text === 'off' ? null : parsePath(text)),
  },
  state_directory: { fallback: () => '/var/lib/fabric-agent', parse: parsePath },
  runtime_directory: { fallback: () => '/run/fabric-agent', parse: parsePath },
  log_level: { fallback: () => 'info', parse: parseLogLevel },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as (keyof Config)[];

/** Files whose place follows from the configuration. */
export const paths = {
  nodeToken: (config: Config): string => join(config.state_directory, 'node-token'),
  spool: (config: Config): string => join(config.state_directory, 'spool'),
  positions: (config: Config): string => join(config.state_directory, 'positions.json'),
  status: (config: Config): string => join(config.runtime_directory, 'status.json'),
};

/** Name of a setting as command line option: `server_url` is `--server-url`. */
export function optionName(setting: string): string {
  return setting.replaceAll('_', '-');
}

/**
 * Settings from the file, overridden by environment variables (`FABRIC_AGENT_SERVER_URL`), overridden by options.
 * @param options values given on the command line, by setting name
 * Directories that nothing names are those of the installation that the file belongs to.
 * @param file null reads the default file, which may be missing; a named one may not
 * @throws ConfigError with every problem and where it is
 */
export function loadConfig(
  options: Partial<Record<string, string>>,
  file: string | null,
  env: NodeJS.Dict<string> = process.env,
): Config {
  const problems: string[] = [];
  const texts = new Map<string, { text: string; where: string }>();
  readSettings(file ?? DEFAULT_CONFIG_FILE, file === null, texts, problems);
  for (const name of SETTING_NAMES) {
    const variable = `${ENV_PREFIX}${name.toUpperCase()}`;
    const fromEnv = env[variable];
    if (fromEnv !== undefined && fromEnv !== '') texts.set(name, { text: fromEnv, where: variable });
    const option = options[name];
    if (option !== undefined) texts.set(name, { text: option, where: `--${optionName(name)}` });
  }

  const root = getInstallRoot(file);
  const values: Partial<Record<keyof Config, unknown>> = {};
  for (const name of SETTING_NAMES) {
    const given = texts.get(name);
    const { parse, fallback } = SETTINGS[name];
    try {
      values[name] = given ? parse(given.text) : BELOW_ROOT.has(name) ? `${root}${fallback()}` : fallback();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(`${given?.where}: ${name} ${error.message}`);
    }
  }
  const config = values as Config;
  if (problems.length === 0) problems.push(...conflicts(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The one-time token an installer passes by environment, so that it shows in no process list. */
export function getEnrollmentTokenFromEnv(env: NodeJS.Dict<string> = process.env): string | null {
  return env.FABRIC_ENROLMENT_TOKEN || null;
}

function conflicts({ server_url: url, allow_http: allowHttp, ca_file: ca, tls_fingerprint: pin }: Config): string[] {
  if (url?.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    return [
      'server_url is plain http: the node token would be sent unencrypted. Use https, with ca_file or ' +
        'tls_fingerprint for a private certificate, or set allow_http = true if the network is trusted',
    ];
  }
  if (ca !== null && pin !== null) return ['ca_file and tls_fingerprint are mutually exclusive: set one of them'];
  return [];
}

function readSettings(
  file: string,
  mayBeMissing: boolean,
  into: Map<string, { text: string; where: string }>,
  problems: string[],
): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoCode(error) === 'ENOENT' && mayBeMissing) return;
    problems.push(`cannot read ${file}: ${errnoCode(error) ?? error}`);
    return;
  }
  text.split('\n').forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    const where = `${file}:${index + 1}`;
    const match = /^([a-z_]+)\s*=\s*(.*)$/.exec(trimmed);
    if (!match) problems.push(`${where}: expected "name = value", found "${trimmed.slice(0, 40)}"`);
    else if (!((match[1] as string) in SETTINGS)) problems.push(`${where}: unknown setting ${match[1]}`);
    else into.set(match[1] as string, { text: match[2] as string, where });
  });
}

function parseServerUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Refusal(`is not a URL: "${text}". Expected for example https://fabric.example.com`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Refusal('must start with https://');
  if (url.username !== '' || url.password !== '') throw new Refusal('must not contain a user name or password');
  if (url.search !== '' || url.hash !== '') throw new Refusal('must not contain a query or fragment');
  return url;
}

function parseFingerprint(text: string): string {
  const hex = text
    .replace(/^sha256:/i, '')
    .replaceAll(':', '')
    .toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Refusal('must be a SHA-256: 64 hexadecimal digits, colons allowed');
  return hex;
}

function parsePath(text: string): string {
  if (!text.startsWith('/')) throw new Refusal(`must be an absolute path, found "${text}"`);
  return text;
}

function parseNodeName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/.test(text)) throw new Refusal(`is not a host name: "${text}"`);
  return text;
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Refusal(`must be true or false, found "${text}"`);
}

function parseLogLevel(text: string): Config['log_level'] {
  if (text === 'info' || text === 'debug') return text;
  throw new Refusal(`must be info or debug, found "${text}"`);
}

function numberBetween(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Refusal(`must be a whole number from ${minimum} to ${maximum}, found "${text}"`);
    }
    return value;
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether standard error goes to the journal, which reads priorities at the beginning of lines. */
export function isManagedByJournal(env: NodeJS.Dict<string> = process.env): boolean {
  return env.JOURNAL_STREAM !== undefined;
}
