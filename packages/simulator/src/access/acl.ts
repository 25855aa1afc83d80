import { builtInRoles, listPrivileges } from './roles';

export type AclEntry = {
  path: string;
  /** `user@realm` or `user@realm!token`. */
  subject: string;
  role: string;
  /** Valid below the path as well. */
  propagate: boolean;
};

export type User = { id: string; enabled: boolean /** Epoch seconds, 0 = never. */; expire: number };

export type Token = {
  /** `user@realm!name` */
  id: string;
  userId: string;
  secret: string;
  /** Effective rights = rights of the owner ∩ rights of the token. */
  privilegeSeparated: boolean;
  /** Epoch seconds, 0 = never. */
  expire: number;
};

/** Privilege → whether it also holds below the path. Both values mean granted. */
export type Privileges = ReadonlyMap<string, boolean>;

/** Users, tokens, roles and the access control list of one cluster. */
export class AccessControl {
  readonly users = new Map<string, User>();
  readonly tokens = new Map<string, Token>();
  readonly roles: Map<string, readonly string[]>;
  readonly entries: AclEntry[] = [];
  readonly #major: 8 | 9;
  readonly #all: Privileges;
  /** Pool of a guest: rights on `/pool/<name>` count for the guests in it. */
  readonly #poolOf: (vmid: number) => string | undefined;

  constructor(major: 8 | 9, poolOf: (vmid: number) => string | undefined) {
    this.#major = major;
    this.#poolOf = poolOf;
    this.roles = builtInRoles(major);
    this.#all = new Map(listPrivileges(major).map((privilege) => [privilege, true]));
    this.users.set('root@pam', { id: 'root@pam', enabled: true, expire: 0 });
  }

  /** Defines a role; a privilege this release does not know is refused, as the API does. */
  addRole(name: string, privileges: readonly string[]): void {
    const known = listPrivileges(this.#major);
    const wrong = privileges.find((privilege) => !known.includes(privilege));
    if (wrong !== undefined) throw new Error(`invalid privilege '${wrong}'`);
    this.roles.set(name, privileges);
  }

  grant(entry: AclEntry): void {
    this.entries.push(entry);
  }

  revoke(subject: string, path?: string): void {
    const kept = this.entries.filter(
      (entry) => entry.subject !== subject || (path !== undefined && entry.path !== path),
    );
    this.entries.splice(0, this.entries.length, ...kept);
  }

  /** Rights of a user or token on a path. */
  privileges(subject: string, path: string): Privileges {
    const token = this.tokens.get(subject);
    if (!token) return this.#ofUser(subject, path);
    const owner = this.#ofUser(token.userId, path);
    if (!token.privilegeSeparated) return owner;
    const own = this.#resolve(subject, path);
    const both = new Map<string, boolean>();
    for (const [privilege, propagate] of own) {
      const ownerPropagate = owner.get(privilege);
      if (ownerPropagate !== undefined) both.set(privilege, propagate && ownerPropagate);
    }
    return both;
  }

  /** Does the subject hold one of the privileges on the path? */
  allows(subject: string, path: string, anyOf: readonly string[]): boolean {
    const token = this.tokens.get(subject);
    // Every call asks: without the maps of `privileges`.
    return anyOf.some(
      (privilege) =>
        this.#holds(token?.userId ?? subject, path, privilege) &&
        (!token?.privilegeSeparated || this.#holds(subject, path, privilege)),
    );
  }

  #holds(subject: string, path: string, privilege: string): boolean {
    if (subject === 'root@pam') return this.#all.has(privilege);
    const isIn = (role: string) => this.roles.get(role)?.includes(privilege) ?? false;
    return this.#placesOf(path).some((place) => [...this.#rolesOn(subject, place).keys()].some(isIn));
  }

  #ofUser(userId: string, path: string): Privileges {
    return userId === 'root@pam' ? this.#all : this.#resolve(userId, path);
  }

  #resolve(subject: string, path: string): Privileges {
    const granted = new Map<string, boolean>();
    for (const place of this.#placesOf(path)) {
      for (const [role, propagate] of this.#rolesOn(subject, place)) {
        for (const privilege of this.roles.get(role) ?? []) {
          granted.set(privilege, propagate || (granted.get(privilege) ?? false));
        }
      }
    }
    return granted;
  }

  /** Where rights on a path come from: a guest has those on its pool, too. */
  #placesOf(path: string): string[] {
    const vmid = /^\/vms\/(\d+)$/.exec(path)?.[1];
    const pool = vmid === undefined ? undefined : this.#poolOf(Number(vmid));
    return pool === undefined ? [path] : [path, `/pool/${pool}`];
  }

  /** The roles on a path, with whether they propagate. Only the entries of the longest matching path apply: a deeper one replaces inherited ones. */
  #rolesOn(subject: string, path: string): Map<string, boolean> {
    const parts = path.split('/').filter((part) => part !== '');
    let current = new Map<string, boolean>();
    for (let depth = 0; depth <= parts.length; depth++) {
      const here = `/${parts.slice(0, depth).join('/')}`;
      const final = depth === parts.length;
      const matching = this.entries.filter(
        (entry) => entry.subject === subject && entry.path === here && (final || entry.propagate),
      );
      if (matching.length === 0) continue;
      current = new Map(matching.map((entry) => [entry.role, entry.propagate]));
    }
    return current.has('NoAccess') ? new Map() : current;
  }
}
