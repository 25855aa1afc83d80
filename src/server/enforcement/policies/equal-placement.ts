import { compilePolicies } from '@/domain/policy/compile';
import type { CompilablePolicy } from '@/domain/policy/desired';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { isDeployed } from './policy-inputs';

type Placed = CompilablePolicy & { readonly enabled: boolean };

/**
 * Whether two versions place the same rules on the same guests, as far as the inventory is known now. If so, live
 * rules of the first count as those of the second; each is still compared with the desired state.
 */
export function hasEqualPlacement(before: Placed, after: Placed, index: InventoryIndex): boolean {
  if (!isDeployed(before) || !isDeployed(after)) return false;
  const [old, fresh] = [before, after].map(
    ({ id, created_at, definition, rules, tier, priority, tenant_id, project_id = null }) =>
      JSON.stringify(
        compilePolicies(
          [{ id, version: 1, tenant_id, project_id, tier, priority, created_at, definition, rules }],
          index,
          'compared',
        ).guests,
      ),
  );
  return old === fresh;
}
