import { type SQL, sql } from 'drizzle-orm';
import type { Condition } from '@/domain/filter-language/condition';
import { db } from '../../../db/client';
import { likePattern } from '../../../db/declared-fields';
import { pgArray } from '../../../db/pg-array';
import { clusters, nodes } from '../../../db/schema/clusters';
import { workloads } from '../../../db/schema/workloads';
import { type FlowSelection, listFormerNames, type OwnedPeriod, type TextSelection } from '../flow-selection';
import { NONE } from './statement';

/** Names of the inventory, which is in PostgreSQL; ids that it does not know are missing. */
export type Names = { nodes: Map<string, string>; clusters: Map<string, string>; workloads: Map<string, string> };

type Ids = Partial<Record<keyof Names, Iterable<string | null>>>;

const TABLES = { nodes, clusters, workloads } as const;
const KINDS = ['nodes', 'clusters', 'workloads'] as const;

/** Names of what some rows mention. One query, none without an id. */
export async function findNames(ids: Ids): Promise<Names> {
  const found: Names = { nodes: new Map(), clusters: new Map(), workloads: new Map() };
  const parts = KINDS.flatMap((kind): SQL[] => {
    const requested = [...new Set(ids[kind])].filter((id): id is string => id !== null && id !== NONE);
    if (requested.length === 0) return [];
    return [
      sql`select ${kind}::text as kind, id, name from ${TABLES[kind]} where id = any (${pgArray('uuid', requested)})`,
    ];
  });
  if (parts.length === 0) return found;
  const rows = await db.execute<{ kind: keyof Names; id: string; name: string }>(sql.join(parts, sql` union all `));
  for (const { kind, id, name } of rows) found[kind].set(id, name);
  return found;
}

/** The name of a workload: of those that went away the one they had then. */
export function nameWorkloads({ workloads: known }: Names, periods: readonly OwnedPeriod[]) {
  const then = listFormerNames(periods);
  return (id: string | null): { id: string | null; name: string | null } => {
    const name = id === null ? undefined : known.get(id);
    // What the inventory does not have any more is not named.
    if (id === null || name === undefined) return { id: null, name: null };
    return { id, name: then.has(id) ? (then.get(id) ?? null) : name };
  };
}

/** Nodes and clusters that a text means. */
export type Places = { readonly nodes: readonly string[]; readonly clusters: readonly string[] };

/** What texts in a selection mean: those that are searched for, and those that a condition names. */
export type ResolvedPlaces = { readonly searched: Places; readonly named: ReadonlyMap<string, Places> };

const NO_PLACES: Places = { nodes: [], clusters: [] };

function listPlaceNames(condition: Condition | undefined): string[] {
  if (condition === undefined) return [];
  if (condition.kind === 'not') return listPlaceNames(condition.of);
  if (condition.kind !== 'compare') return condition.of.flatMap(listPlaceNames);
  return condition.field === 'node' || condition.field === 'cluster' ? [...condition.values] : [];
}

const findPlaces = async (matches: (table: typeof nodes | typeof clusters) => SQL): Promise<Places> => {
  const rows = await db.execute<{ kind: 'nodes' | 'clusters'; id: string }>(sql`
    select 'nodes' as kind, ${nodes.id} as id from ${nodes} where ${matches(nodes)}
    union all select 'clusters', ${clusters.id} from ${clusters} where ${matches(clusters)}`);
  const of = (kind: 'nodes' | 'clusters') => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { nodes: of('nodes'), clusters: of('clusters') };
};

/** Finds the nodes and clusters that a selection names, before flows are asked for. No query without such a name. */
export async function resolvePlaces(
  selection: Pick<FlowSelection, 'filter' | 'conversations'> & Partial<TextSelection>,
): Promise<ResolvedPlaces> {
  const { q } = selection.filter;
  const names = [...listPlaceNames(selection.condition), ...listPlaceNames(selection.conversations?.condition)];
  const named = new Map<string, Places>();
  for (const name of new Set(names)) {
    named.set(name, await findPlaces((table) => sql`${table.name} = ${name} or ${table.id}::text = ${name}`));
  }
  const searched = q ? await findPlaces((table) => sql`${table.name} ilike ${likePattern(q)}`) : NO_PLACES;
  return { searched, named };
}
