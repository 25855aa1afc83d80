import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFile, findDuplicates, type StoredEntries } from './diff';
import { FILE_LISTS, PolicyFile, writePolicyFile } from './document';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => {
  const plain = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u.test(text);
  return plain && text.trim() === text;
});
const owner = fc.constantFrom<{ tenant?: string; project?: string }>(
  {},
  { tenant: 'red' },
  { tenant: 'red', project: 'p' },
);
const endpoints = fc.uniqueArray(
  fc.constantFrom('any', 'sg:web', 'vmid:lab/105', '10.0.0.0/8', 'tag:a', 'network:lab/dmz'),
  {
    minLength: 1,
  },
);
const ports = fc.uniqueArray(fc.constantFrom('22', '443', '8000-8080'), { maxLength: 2 });
const responsible = {
  owner: fc.constantFrom('', 'anna@example.org', ' Ben@Example.org'),
  ticket: fc.constantFrom('', 'NET-7', '0x1F', 'https://tickets.example.org/?id=7#a: b'),
  expires_at: fc.constantFrom(null, '2027-01-31T00:00:00Z', '2027-01-31T01:00:00.5+02:00'),
};
const rule = fc.record(
  {
    action: fc.constantFrom('accept', 'drop', 'reject'),
    protocol: fc.constantFrom('tcp', 'udp'),
    destination_ports: ports,
    enabled: fc.boolean(),
    comment: fc.constantFrom('', 'why: "because"', '- x'),
    ...responsible,
  },
  { requiredKeys: ['action', 'protocol'] },
);
const definition = fc.record(
  {
    enforcement_mode: fc.constantFrom('enforced', 'audit'),
    sources: endpoints,
    targets: endpoints,
    direction: fc.constantFrom('in', 'out', 'both'),
    default_action: fc.constantFrom('none', 'drop'),
  },
  { requiredKeys: ['enforcement_mode', 'sources', 'targets'] },
);
const group = fc.record({
  member_tags: fc.uniqueArray(fc.constantFrom('a', 'b')),
  members: fc.constantFrom([], ['vmid:lab/1']),
});
const policy = fc.record({
  definition,
  rules: fc.array(rule, { maxLength: 3 }),
  priority: fc.nat(9999),
  enabled: fc.boolean(),
  ...responsible,
});
const test = fc.record({ expect: fc.constantFrom('allow', 'deny'), from: endpoints, to: endpoints, reason: name });

const makeList = (body: fc.Arbitrary<object>) =>
  fc.uniqueArray(
    fc.tuple(name, owner, body).map(([text, whose, rest]) => ({ name: text, ...whose, ...rest })),
    { maxLength: 4, selector: ({ name: text, ...whose }) => JSON.stringify([text, whose]) },
  );
/** Documents without duplicates, as people write them. */
const file = fc
  .record({ security_groups: makeList(group), policies: makeList(policy), policy_tests: makeList(test) })
  .map((lists) => PolicyFile.parse({ version: 1, ...lists }))
  .filter((one) => findDuplicates(one).length === 0);

/** What is stored once a document has been applied. */
const store = (one: PolicyFile): StoredEntries => {
  const list = <T>(entries: readonly T[]) =>
    entries.map((entry, at) => ({ id: String(at), version: 1, source: null, entry }));
  return {
    security_groups: list(one.security_groups),
    policies: list(one.policies),
    policy_tests: list(one.policy_tests),
  };
};

describe('a policy file', () => {
  it('says the same when it is written and read again, and is written alike', () => {
    fc.assert(
      fc.property(file, (one) => {
        const written = writePolicyFile(one);
        const read = PolicyFile.parse(JSON.parse(JSON.stringify(written)));
        expect(read).toEqual(one);
        expect(JSON.stringify(writePolicyFile(read))).toBe(JSON.stringify(written));
      }),
      { numRuns: 60 },
    );
  });

  it('turns what is stored into what it says, and deletes nothing unless it prunes', () => {
    fc.assert(
      fc.property(file, file, fc.boolean(), (before, after, prune) => {
        const stored = store(before);
        const result = new Map(
          FILE_LISTS.flatMap((list) =>
            stored[list].map(({ entry }) => [JSON.stringify([list, makeKey(entry)]), entry]),
          ),
        );
        for (const { list, action, entry } of compareFile(after, stored, { prune, source: null })) {
          const key = JSON.stringify([list, makeKey(entry)]);
          expect(result.has(key)).toBe(action !== 'create');
          if (action === 'delete') result.delete(key);
          else result.set(key, entry as never);
        }
        const expected = new Map(
          (prune ? [after] : [before, after]).flatMap((one) =>
            FILE_LISTS.flatMap((list) =>
              one[list].map((entry) => [JSON.stringify([list, makeKey(entry)]), entry] as const),
            ),
          ),
        );
        expect(result).toEqual(expected);
        expect(compareFile(after, store(after), { prune, source: null })).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a mode that is misspelled, an unknown field, and a project without its tenant', () => {
    const entry = { name: 'a', definition: { enforcement_mode: 'enforce', sources: ['any'], targets: ['any'] } };
    const fields = (value: object) =>
      PolicyFile.safeParse({ version: 1, policies: [value] }).error?.issues.map(({ path }) => path.join('.'));
    expect(fields(entry)).toEqual(['policies.0.definition.enforcement_mode']);
    const valid = { ...entry, definition: { ...entry.definition, enforcement_mode: 'audit' } };
    expect(fields(valid)).toBeUndefined();
    expect(fields({ ...valid, modus: 1 })).toEqual(['policies.0']);
    expect(fields({ ...valid, project: 'p' })).toEqual(['policies.0.project']);
  });
});

const makeKey = ({ tenant, project, name: text }: { tenant: string | null; project: string | null; name: string }) => [
  tenant,
  project,
  text,
];
