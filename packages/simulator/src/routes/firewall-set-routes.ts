import { cleanSetEntry } from '../firewall/address-spec';
import { computeListDigest, withDigest } from '../firewall/digest';
import type { FirewallFile, Section, SetEntry } from '../firewall/firewall-file';
import { findAlias } from '../firewall/rule-check';
import { GROUP_NAME, MAX_SET_NAME } from '../firewall/vocabulary';
import { PveError, parameterError } from '../pve-error';
import { ALIAS_REFERENCE, common, formats } from '../schema/formats';
import type { ParamSpec } from '../schema/param-spec';
import { assertUnmodified, editFirewall, type FirewallScope, readFirewall, referencesFor } from './firewall-scope';
import { type Call, type Route, textParam } from './route';

const SET_NAME: ParamSpec = { type: 'string', minLength: 2, maxLength: MAX_SET_NAME, pattern: GROUP_NAME };

const listSets = (file: FirewallFile) =>
  [...file.ipsets.keys()].sort().map((name) => {
    const comment = file.ipsets.get(name)?.comment;
    return { name, ...(comment && { comment }) };
  });

function getSet(file: FirewallFile, call: Call): Section<SetEntry> {
  const name = textParam(call, 'name');
  const set = file.ipsets.get(name);
  if (!set) throw new PveError(500, `no such IPSet '${name}'`);
  return set;
}

function createSet(call: Call, scope: FirewallScope): Promise<null> {
  return editFirewall(call, scope, (file) => {
    const name = textParam(call, 'name');
    const { rename, comment } = call.params;
    if (rename === undefined) {
      if (file.ipsets.has(name)) throw parameterError({ name: `IPSet '${name}' already exists` });
      file.ipsets.set(name, { comment, entries: [] });
      return;
    }
    assertUnmodified(computeListDigest(listSets(file)), call.params.digest);
    const old = file.ipsets.get(rename);
    if (!old) throw parameterError({ name: `IPSet '${rename}' does not exist` });
    if (rename !== name && file.ipsets.has(name)) throw parameterError({ name: `IPSet '${name}' does already exist` });
    file.ipsets.delete(rename);
    file.ipsets.set(name, { comment: comment ?? old.comment, entries: old.entries });
  });
}

function addEntry(call: Call, scope: FirewallScope): Promise<null> {
  return editFirewall(call, scope, (file) => {
    const set = getSet(file, call);
    const cidr = cleanSetEntry(textParam(call, 'cidr'));
    if (ALIAS_REFERENCE.test(cidr) && !findAlias(referencesFor(call, scope, file), cidr)) {
      throw new PveError(500, `no such alias '${cidr}'`);
    }
    if (set.entries.some((entry) => entry.cidr === cidr))
      throw parameterError({ cidr: `address '${cidr}' already exists` });
    if (/\/0+$/.test(cidr)) throw parameterError({ cidr: 'a zero prefix is not allowed in ipset entries' });
    set.entries.unshift({
      cidr,
      ...(call.params.nomatch === '1' && { nomatch: 1 }),
      ...(call.params.comment && { comment: call.params.comment }),
    });
  });
}

function updateEntry(call: Call, scope: FirewallScope): Promise<null> {
  return editFirewall(call, scope, (file) => {
    const set = getSet(file, call);
    assertUnmodified(computeListDigest(set.entries), call.params.digest);
    const entry = set.entries.find(({ cidr }) => cidr === call.params.cidr);
    if (!entry) throw parameterError({ cidr: 'no such IP/Network' });
    // Both are replaced: what is not given is cleared.
    delete entry.nomatch;
    delete entry.comment;
    if (call.params.nomatch === '1') entry.nomatch = 1;
    if (call.params.comment) entry.comment = call.params.comment;
  });
}

function removeEntry(call: Call, scope: FirewallScope): Promise<null> {
  return editFirewall(call, scope, (file) => {
    const set = getSet(file, call);
    assertUnmodified(computeListDigest(set.entries), call.params.digest);
    const kept = set.entries.filter(({ cidr }) => cidr !== call.params.cidr);
    set.entries.splice(0, set.entries.length, ...kept);
  });
}

/** Address sets of a scope and their entries. */
export function buildSetRoutes(scope: FirewallScope): Route[] {
  const { pathParams } = scope;
  const all = `${scope.base}/ipset`;
  const one = `${all}/{name}`;
  const entry = `${one}/{cidr+}`;
  const named = { ...pathParams, name: SET_NAME };
  const cidr: ParamSpec = { type: 'string', format: formats.ipOrCidrOrAlias };
  const reading = { permission: scope.read, proxied: false, handledBy: 'pveproxy' } as const;
  const writing = { permission: scope.write, proxied: false, handledBy: 'pvedaemon', meter: 'firewall-write' } as const;
  return [
    {
      ...reading,
      method: 'GET',
      pattern: all,
      params: pathParams,
      handle: (call) => withDigest(listSets(readFirewall(call, scope))),
    },
    {
      ...writing,
      method: 'POST',
      pattern: all,
      params: { ...named, comment: common.text, digest: common.digest, rename: { ...SET_NAME, optional: true } },
      handle: (call) => createSet(call, scope),
    },
    {
      ...reading,
      method: 'GET',
      pattern: one,
      params: named,
      handle: (call) => withDigest(getSet(readFirewall(call, scope), call).entries),
    },
    {
      ...writing,
      method: 'POST',
      pattern: one,
      params: { ...named, cidr, comment: common.text, nomatch: common.flag },
      handle: (call) => addEntry(call, scope),
    },
    {
      ...writing,
      method: 'DELETE',
      pattern: one,
      params: { ...named, force: common.flag },
      handle: (call) =>
        editFirewall(call, scope, (file) => {
          const name = textParam(call, 'name');
          if (getSet(file, call).entries.length > 0 && call.params.force !== '1') {
            throw new PveError(500, `IPSet '${name}' is not empty`);
          }
          file.ipsets.delete(name);
        }),
    },
    {
      ...reading,
      method: 'GET',
      pattern: entry,
      handledBy: 'pvedaemon',
      params: { ...named, cidr },
      handle: (call) => {
        const { entries } = getSet(readFirewall(call, scope), call);
        const found = entries.find((candidate) => candidate.cidr === call.params.cidr);
        if (!found) throw parameterError({ cidr: 'no such IP/Network' });
        return { ...found, digest: computeListDigest(entries) };
      },
    },
    {
      ...writing,
      method: 'PUT',
      pattern: entry,
      params: { ...named, cidr, comment: common.text, nomatch: common.flag, digest: common.digest },
      handle: (call) => updateEntry(call, scope),
    },
    {
      ...writing,
      method: 'DELETE',
      pattern: entry,
      params: { ...named, cidr, digest: common.digest },
      handle: (call) => removeEntry(call, scope),
    },
  ];
}
