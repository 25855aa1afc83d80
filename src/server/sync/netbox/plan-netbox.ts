import type { ImportChange } from '@/domain/ipam/csv-import';
import {
  type AddressImportRow,
  parseImportFields,
  type RowError,
  type SubnetImportRow,
} from '@/domain/ipam/import-rows';
import type { NetboxRead } from '@/domain/netbox/objects';
import type { NetboxSourceInput } from '@/domain/netbox/source';
import { type AddressPlan, type ImportContext, planAddresses } from '../../addresses/imports/plan-addresses';
import { planSubnets, type SubnetPlan } from '../../addresses/imports/plan-subnets';
import type { KnownObject, MemberContext } from '../queries/netbox-objects';
import { createAddressCheck, createPrefixCheck, createVrfComparison, type Placed } from './find-conflicts';
import { withMoved } from './moved-addresses';
import { ObjectPlacer } from './place-objects';
import { type MemberPlan, planMembers } from './plan-members';
import { separateConflicts, type Withheld, withoutWithheld } from './withhold';

/** Which conflicts are written as well, by line. */
export type Chosen = 'all' | ReadonlySet<number>;

export type NetboxPlan = {
  subnets: Pick<SubnetPlan, 'create' | 'update'>;
  addresses: Pick<AddressPlan, 'create' | 'update'>;
  members: MemberPlan['add'];
  unchanged: number;
  errors: RowError[];
  /** Said besides; nothing of it changes what is written. */
  notices: RowError[];
  /** What is written. */
  changes: ImportChange[];
  /** What a preview lists: everything that is written without a choice, and all conflicts. */
  listed: ImportChange[];
  known: KnownObject[];
};

type Inputs = {
  source: Pick<NetboxSourceInput, 'networks' | 'groups' | 'tenants'>;
  context: ImportContext;
  known: readonly KnownObject[];
  members: MemberContext;
};

/** Columns that come from NetBox, by kind. */
const FIELDS = { prefix: ['vlan_tag', 'description'], address: ['state', 'hostname', 'description'] } as const;

function toRows<R extends SubnetImportRow | AddressImportRow>(placed: ReadonlyMap<number, Placed>): R[] {
  return [...placed.values()].flatMap(({ object, place }) => {
    const fields = { ...object.values, cluster: place.cluster, network: place.network };
    const parsed = parseImportFields(object.kind === 'prefix' ? 'subnets' : 'addresses', fields);
    if ('errors' in parsed) throw new Error(`NetBox ID ${object.netbox_id}: expected the values to be valid`);
    // Names are compared as stored, not as a file has them.
    return [{ ...parsed.data, cluster: place.cluster, network: place.network, line: object.line } as R];
  });
}

const label = (changes: readonly ImportChange[], object: 'subnet' | 'address'): ImportChange[] =>
  changes.map((change) => ({ ...change, object }));

/** Prefixes as they will be stored, for the addresses in them. */
function withPlanned(context: ImportContext, { create }: Pick<SubnetPlan, 'create'>): ImportContext {
  const stored = create.map((row) => ({
    ...row,
    source: 'manual' as const,
    missing_since: null,
    created_at: '',
    updated_at: '',
  }));
  return { ...context, subnets: [...context.subnets, ...stored] };
}

/** What the import knows of an object after it was written: values that are withheld stay as they were known. */
function toKnown({ object, place, known }: Placed, row: object, withheld: Withheld | undefined): KnownObject {
  const kept = Object.entries(known?.written ?? {}).filter(([field]) => withheld?.fields?.has(field));
  const written = FIELDS[object.kind].flatMap((field) => {
    const value = (row as Record<string, string | number | undefined>)[field];
    return value === undefined ? [] : [[field, value]];
  });
  const { kind, netbox_id, name } = object;
  return { kind, netbox_id, name, network_id: place.network_id, written: Object.fromEntries([...kept, ...written]) };
}

/** Objects that were imported before and are no longer read, or are read elsewhere; they stay in Fabric. */
function listGone(known: readonly KnownObject[], placed: readonly Placed[]): RowError[] {
  const read = new Map(placed.map((one) => [`${one.object.kind} ${one.object.netbox_id}`, one]));
  return known.flatMap(({ kind, netbox_id, name }) => {
    const now = read.get(`${kind} ${netbox_id}`);
    if (now?.known) return [];
    const what = now ? `was moved or renamed to ${now.object.name}` : 'is no longer in what is read';
    const message = `${name} (NetBox ID ${netbox_id}) ${what}. It stays in Fabric; delete it there if it is not needed.`;
    return [{ line: 0, field: 'gone', message }];
  });
}

/**
 * What objects of NetBox become, compared with what is stored. Without a choice nothing is overwritten that this import did not write;
 * a choice adds exactly the conflicts that were listed.
 */
export function planNetbox(read: NetboxRead, { source, context, known, members }: Inputs, chosen: Chosen): NetboxPlan {
  const areSeparate = createVrfComparison(source.networks);
  const placer = new ObjectPlacer(source.networks, context, known);
  const prefixes = placer.placePrefixes(read);
  const prefixRows = toRows<SubnetImportRow>(prefixes.placed);
  const subnets = separateConflicts(
    prefixRows,
    (rows) => planSubnets(rows, context),
    createPrefixCheck(prefixes.placed, context, areSeparate),
  );
  const inside = withPlanned(context, subnets.view);
  const addresses = placer.placeAddresses(read, inside.subnets);
  const addressRows = toRows<AddressImportRow>(addresses.placed);
  const hosts = separateConflicts(
    addressRows,
    (rows) => planAddresses(rows, inside),
    createAddressCheck(addresses.placed, context, areSeparate),
  );
  const errors = [
    ...read.errors,
    ...prefixes.errors,
    ...addresses.errors,
    ...subnets.view.errors,
    ...hosts.view.errors,
  ];
  const memberPlan = planMembers(addresses.placed.values(), source, context, members);

  const bad = new Set(errors.map(({ line }) => line));
  const isChosen = (line: number) => chosen === 'all' || chosen.has(line);
  const keep = <R extends { line: number }>(rows: readonly R[], withheld: ReadonlyMap<number, Withheld>): R[] =>
    rows
      .filter(({ line }) => !bad.has(line))
      .flatMap((row) => (isChosen(row.line) ? [row] : withoutWithheld(row, withheld.get(row.line))));
  const keptPrefixes = keep(prefixRows, subnets.withheld);
  const keptAddresses = keep(addressRows, hosts.withheld);
  const writtenSubnets = planSubnets(keptPrefixes, context);
  const writtenAddresses = planAddresses(keptAddresses, withPlanned(context, writtenSubnets));

  const placed = [...prefixes.placed.values(), ...addresses.placed.values()];
  const byLine = new Map(placed.map((one) => [one.object.line, one]));
  const withheldNow = (line: number) =>
    isChosen(line) ? undefined : (subnets.withheld.get(line) ?? hosts.withheld.get(line));
  return {
    subnets: writtenSubnets,
    addresses: writtenAddresses,
    members: memberPlan.add,
    unchanged: subnets.unchanged + hosts.unchanged,
    errors,
    notices: [...memberPlan.notices, ...listGone(known, placed)],
    changes: [
      ...label(withMoved(writtenSubnets, context), 'subnet'),
      ...label(writtenAddresses.changes, 'address'),
      ...memberPlan.changes,
    ],
    listed: [
      ...label([...subnets.conflicts, ...withMoved(subnets.view, context)], 'subnet'),
      ...label([...hosts.conflicts, ...hosts.view.changes], 'address'),
      ...memberPlan.changes,
    ],
    known: [...keptPrefixes, ...keptAddresses].flatMap((row) => {
      const one = byLine.get(row.line);
      return one ? [toKnown(one, row, withheldNow(row.line))] : [];
    }),
  };
}
