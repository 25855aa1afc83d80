import { z } from 'zod';
import { parseImportFields, type RowError } from '../ipam/import-rows';

/** A choice of NetBox: `{"value": "active", "label": "Active"}`. */
const Choice = z.object({ value: z.string() }).optional();
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const shared = {
  id: z.int().min(1),
  vrf: z.object({ name: z.string() }).nullish(),
  tenant: z.object({ slug: z.string(), name: z.string() }).nullish(),
  status: Choice,
  description: text,
  tags: z.array(z.object({ slug: z.string() })).default([]),
};
const Prefix = z.object({ ...shared, prefix: z.string(), vlan: z.object({ vid: z.int() }).nullish() });
const Address = z.object({ ...shared, address: z.string(), dns_name: text });

/** What Fabric uses of a page. */
export const NetboxPage = z.object({
  count: z.int(),
  next: z.string().nullish(),
  results: z.array(z.unknown()),
});

export const NETBOX_KINDS = ['prefix', 'address'] as const;
export type NetboxKind = (typeof NETBOX_KINDS)[number];

/** An object of NetBox as an import uses it. `values`: columns of a row of a CSV file; what NetBox has empty is left out. */
export type NetboxObject = {
  line: number;
  kind: NetboxKind;
  netbox_id: number;
  /** The prefix or the address, in its canonical form. */
  name: string;
  vrf: string;
  vlan: number | null;
  tenant: { slug: string; name: string } | null;
  tags: string[];
  values: Record<string, string>;
};

/** What was read: all objects that can be used, in the order of NetBox, and why others are not. */
export type NetboxRead = { objects: NetboxObject[]; errors: RowError[]; total: number };

/** The state of an address; null: it is not in use. */
const STATES: Readonly<Record<string, string | null>> = {
  active: 'active',
  slaac: 'active',
  reserved: 'reserved',
  dhcp: 'dhcp',
  deprecated: null,
};
const PREFIX_STATES = ['container', 'active', 'reserved'];

const filled = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));

/** Says which object a problem is about, as far as it can be known. */
function formatObject(raw: unknown, kind: NetboxKind): string {
  const known = z.object({ id: z.int().optional(), display: z.string().optional() }).safeParse(raw);
  const { id, display } = known.success ? known.data : {};
  return `${display?.slice(0, 100) ?? kind}${id === undefined ? '' : ` (NetBox ID ${id})`}`;
}

/** Reads one object. Which network it belongs to is not decided here. */
export function parseNetboxObject(kind: NetboxKind, raw: unknown, line: number): NetboxObject | RowError[] {
  const fail = (field: string, reason: string): RowError[] => [
    { line, field, message: `${formatObject(raw, kind)}: ${reason}`.slice(0, 500) },
  ];
  const parsed = (kind === 'prefix' ? Prefix : Address).safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(issue?.path.join('.') || kind, `not as NetBox describes it: ${issue?.message}.`);
  }
  const { id: netbox_id, vrf, tenant, tags, description, status } = parsed.data;
  const isPrefix = 'prefix' in parsed.data;
  const state = status?.value ?? 'active';
  const vlan = 'vlan' in parsed.data ? (parsed.data.vlan?.vid ?? null) : null;
  if (isPrefix ? !PREFIX_STATES.includes(state) : !STATES[state])
    return fail('status', `the status ${state.slice(0, 40)} is not imported.`);
  const values = filled(
    'prefix' in parsed.data
      ? { cidr: parsed.data.prefix, vlan_tag: vlan === null ? '' : String(vlan), description }
      : {
          address: parsed.data.address.split('/')[0] ?? '',
          state: STATES[state] ?? '',
          hostname: parsed.data.dns_name,
          description,
        },
  );
  // Another place is filled in later; here only the fields of the object count.
  const row = parseImportFields(isPrefix ? 'subnets' : 'addresses', isPrefix ? { ...values, network: '-' } : values);
  if ('errors' in row) {
    const [problem] = row.errors;
    return fail(problem?.field ?? kind, problem?.message ?? 'cannot be used.');
  }
  return {
    line,
    kind,
    netbox_id,
    name: 'cidr' in row.data ? row.data.cidr : row.data.address,
    vrf: vrf?.name ?? '',
    vlan,
    tenant: tenant ? { slug: tenant.slug, name: tenant.name } : null,
    tags: tags.map(({ slug }) => slug),
    values,
  };
}

/** Reads all objects: prefixes come first, so that lines of addresses follow those of prefixes. */
export function parseNetboxObjects(raw: Record<NetboxKind, readonly unknown[]>): NetboxRead {
  const read: NetboxRead = { objects: [], errors: [], total: 0 };
  for (const kind of NETBOX_KINDS)
    for (const one of raw[kind]) {
      read.total += 1;
      const object = parseNetboxObject(kind, one, read.total);
      if (Array.isArray(object)) read.errors.push(...object);
      else read.objects.push(object);
    }
  return read;
}
