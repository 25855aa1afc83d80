import type { lookup as systemLookup } from 'node:dns';
import type { Client, Entry, Filter } from 'ldapts';
import { EqualityFilter, SizeLimitExceededError } from 'ldapts';
import { clock } from '../../lib/clock';
import { processState } from '../../lib/process-state';
import { closeConnection, LdapError, type LdapServer, openConnection, toLdapError } from './connect';
import { fillFilter } from './filters';

/** How to find accounts and their groups. */
export type DirectoryAccess = {
  urls: readonly string[];
  security: LdapServer['security'];
  ca_certificate: string | null;
  bind_dn: string;
  bind_password: string;
  base_dn: string;
  user_filter: string;
  id_attribute: string;
  name_attribute: string;
  email_attribute: string;
  group_source: 'member_of' | 'search';
  group_base_dn: string;
  group_filter: string;
  nested_groups: boolean;
  disabled_filter: string | null;
};

export type DirectoryGroup = { dn: string; name: string };
/** An account of the directory. `id` never changes; name, address and DN may. */
export type DirectoryUser = {
  dn: string;
  id: string;
  name: string | null;
  email: string | null;
  disabled: boolean;
  groups: DirectoryGroup[];
};

type Options = { allow: readonly string[]; timeoutMs?: number; resolve?: typeof systemLookup };

const TIMEOUT_MS = 5000;
/** Groups that are followed from one account, however they are nested. */
const MAX_GROUPS = 1000;
/** Attributes that hold bytes, not text. */
const BINARY = /^(objectGUID|objectSid|.*;binary)$/i;

const firstText = (value: Entry[string] | undefined): string | null => {
  const one = Array.isArray(value) ? value[0] : value;
  const text = one === undefined ? '' : String(one).trim();
  return text === '' ? null : text;
};

/** An attribute by its name in any case: directories answer in their own spelling. */
const readAttribute = (entry: Entry, name: string): Entry[string] | undefined =>
  Object.entries(entry).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

const listTexts = (value: Entry[string] | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String).filter((text) => text !== '');

/** A DN for comparison: case and spaces after commas do not matter. */
export const normalizeDn = (dn: string) => dn.toLowerCase().replace(/\s*,\s*/g, ',');

/** The value of the first part of a DN: `admins` of `cn=admins,ou=groups,dc=example,dc=org`. */
const leadingName = (dn: string) => /^[^=]+=((?:\\.|[^,+\\])+)/.exec(dn)?.[1]?.replace(/\\(.)/g, '$1') ?? dn;

/** An open, bound connection to one of the servers. */
export class DirectorySession {
  constructor(
    private readonly client: Client,
    private readonly access: DirectoryAccess,
    /** The server that answered. */
    readonly server: string,
    private readonly options: Options,
  ) {}

  get #host() {
    return new URL(this.server).hostname;
  }

  async #search(base: string, filter: string | Filter, scope: 'base' | 'sub', attributes: string[], limit: number) {
    try {
      const binary = attributes.filter((name) => BINARY.test(name));
      const { searchEntries } = await this.client.search(base, {
        ...{ scope, filter, attributes, sizeLimit: limit, derefAliases: 'never' },
        timeLimit: Math.ceil((this.options.timeoutMs ?? TIMEOUT_MS) / 1000),
        explicitBufferAttributes: binary,
      });
      // References to other servers are not followed: they would get the account's password.
      return searchEntries;
    } catch (error) {
      throw toLdapError(this.#host, error);
    }
  }

  /** The one account that fits the filter. @throws LdapError `ambiguous` when several do */
  async #findOne(filter: string | Filter): Promise<DirectoryUser | null> {
    const { base_dn, id_attribute, name_attribute, email_attribute } = this.access;
    const attributes = [id_attribute, name_attribute, email_attribute, 'memberOf'];
    const found = await this.#search(base_dn, filter, 'sub', attributes, 2).catch((error: unknown) => {
      if (error instanceof LdapError && error.cause instanceof SizeLimitExceededError) return [null, null];
      throw error;
    });
    if (found.length > 1) {
      throw new LdapError(
        'ambiguous',
        'The user filter matches more than one account.',
        'Use a filter that matches one account for each name.',
      );
    }
    const [entry] = found;
    if (!entry) return null;
    const raw = readAttribute(entry, id_attribute);
    const first = Array.isArray(raw) ? raw[0] : raw;
    const id = Buffer.isBuffer(first) ? first.toString('hex') : firstText(raw);
    if (!id) {
      throw new LdapError(
        'query',
        `The account ${entry.dn} has no ${id_attribute}.`,
        'Enter an attribute that every account has and that never changes.',
      );
    }
    return {
      dn: entry.dn,
      id,
      name: firstText(readAttribute(entry, name_attribute)),
      email: firstText(readAttribute(entry, email_attribute)),
      disabled: await this.#isDisabled(entry.dn),
      groups: [],
    };
  }

  async #isDisabled(dn: string): Promise<boolean> {
    const { disabled_filter } = this.access;
    return disabled_filter !== null && (await this.#search(dn, disabled_filter, 'base', ['1.1'], 1)).length > 0;
  }

  /** The account of a name, as it was entered at sign-in. Without groups. @throws LdapError */
  findUser(name: string): Promise<DirectoryUser | null> {
    return this.#findOne(fillFilter(this.access.user_filter, { user: name }));
  }

  /** The account that has an ID, whatever it is called now. Without groups. @throws LdapError */
  findById(id: string): Promise<DirectoryUser | null> {
    const { id_attribute } = this.access;
    // Not as text: the bytes of an objectGUID are none.
    const value = BINARY.test(id_attribute) ? Buffer.from(id, 'hex') : id;
    return this.#findOne(new EqualityFilter({ attribute: id_attribute, value }));
  }

  /** The DNs of the groups that a user or group is in directly. */
  async #listParents(dn: string, user: string): Promise<string[]> {
    const { group_source, group_base_dn, group_filter } = this.access;
    if (group_source === 'member_of') {
      const [entry] = await this.#search(dn, '(objectClass=*)', 'base', ['memberOf'], 1);
      return entry ? listTexts(readAttribute(entry, 'memberOf')) : [];
    }
    const filter = fillFilter(group_filter, { dn, user });
    return (await this.#search(group_base_dn, filter, 'sub', ['1.1'], MAX_GROUPS)).map((entry) => entry.dn);
  }

  /** The groups of an account below the base of groups; of nested groups, all that it is in indirectly. @throws LdapError */
  async listGroups({ dn }: DirectoryUser, user: string): Promise<DirectoryGroup[]> {
    const base = normalizeDn(this.access.group_base_dn);
    const isBelow = (one: string) => normalizeDn(one) === base || normalizeDn(one).endsWith(`,${base}`);
    const found = new Map<string, DirectoryGroup>();
    let level = [dn];
    while (level.length > 0) {
      const next: string[] = [];
      for (const one of level) {
        for (const parent of await this.#listParents(one, one === dn ? user : '')) {
          const key = normalizeDn(parent);
          if (found.has(key) || !isBelow(parent)) continue;
          if (found.size >= MAX_GROUPS) {
            throw new LdapError(
              'query',
              `The account is in more than ${MAX_GROUPS} groups.`,
              'Use a narrower base DN of groups.',
            );
          }
          found.set(key, { dn: parent, name: leadingName(parent) });
          next.push(parent);
        }
      }
      level = this.access.nested_groups ? next : [];
    }
    return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  /** Whether the password is that of the account: a bind of its own, on a connection of its own. @throws LdapError */
  async verifyPassword({ dn }: DirectoryUser, password: string): Promise<boolean> {
    if (password === '') return false;
    const { security, ca_certificate } = this.access;
    const server = { url: this.server, security, ca_certificate };
    try {
      await closeConnection(await openConnection(server, { dn, password }, withTimeout(this.options)));
      return true;
    } catch (error) {
      if (error instanceof LdapError && error.reason === 'bind') return false;
      throw error;
    }
  }
}

/** For this long a server that did not answer comes after the others. */
const AVOIDED_MS = 30_000;
const state = processState(() => ({ unreachable_since: new Map<string, number>() }));

/** The servers in the order in which to ask them: those that did not answer lately last. */
function sortServers(urls: readonly string[]): string[] {
  const now = clock.now().getTime();
  const isAvoided = (url: string) => now - (state.unreachable_since.get(url) ?? Number.NEGATIVE_INFINITY) < AVOIDED_MS;
  return urls.toSorted((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
}

/** Remembers a server that does not answer, so that not every sign-in waits for it. */
function noteFailure(url: string, error: unknown): void {
  if (error instanceof LdapError && error.reason === 'unreachable') {
    state.unreachable_since.set(url, clock.now().getTime());
  }
}

const withTimeout = (options: Options) => ({ ...options, timeoutMs: options.timeoutMs ?? TIMEOUT_MS });

/**
 * Works with the first server that answers as it should; the others are for when it does not. One that did not answer lately is asked last.
 * A refused bind account is the answer of the directory, so that no other server is asked.
 * @throws LdapError of the last server
 */
export async function withDirectory<T>(
  access: DirectoryAccess,
  options: Options,
  work: (session: DirectorySession) => Promise<T>,
): Promise<T> {
  const { security, ca_certificate, bind_dn: dn, bind_password: password } = access;
  let last: LdapError | null = null;
  for (const url of sortServers(access.urls)) {
    let client: Client;
    try {
      client = await openConnection({ url, security, ca_certificate }, { dn, password }, withTimeout(options));
    } catch (error) {
      noteFailure(url, error);
      if (!(error instanceof LdapError) || error.reason === 'bind') throw error;
      last = error;
      continue;
    }
    try {
      const result = await work(new DirectorySession(client, access, url, options));
      state.unreachable_since.delete(url);
      return result;
    } catch (error) {
      noteFailure(url, error);
      throw error;
    } finally {
      await closeConnection(client);
    }
  }
  throw last ?? new Error('expected a server');
}
