import type { CompiledNote } from '@/domain/change/review';
import { objectCache } from '../../../lib/cache';
import type { FirewallState } from '../../policies/firewall-state/firewall-state';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import type { ChangeRow } from '../../queries/changes';
import { type CompiledChange, compileChange } from '../compiled/compile-change';

/** What a change compiles to, as far as a review needs it. */
export type CompiledOnce = { readonly hash: string; readonly note: CompiledNote };

/** By what was last read of the clusters: each change is compiled once as long as nothing else was read or stored. */
const compiled = objectCache<FirewallState, Map<string, Promise<CompiledOnce>>>({ name: 'compiled_changes' });

const HASH_LENGTH = 16;
const shorten = (hash: string) => hash.slice(0, HASH_LENGTH);

/** What a review keeps of a compiled change. */
export const summarizeCompiled = ({ hash, isEnforcing, differing }: CompiledChange): CompiledOnce => ({
  hash,
  note: {
    enforcing: isEnforcing,
    workloads: differing.map(({ workload_id, before, after }) => ({
      workload_id,
      before: shorten(before),
      after: shorten(after),
    })),
  },
});

/** What the items of a change compile to now. */
export async function compileOnce({ id, items, content_hash }: ChangeRow): Promise<CompiledOnce> {
  const firewall = await readFirewallState();
  const known = compiled.load(firewall, null, () => new Map());
  const key = `${id} ${content_hash}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = compileChange(items, { firewall }).then(summarizeCompiled);
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
