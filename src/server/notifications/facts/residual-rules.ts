import { listResidualMatters } from '../../enforcement/queries/residual-rules';
import type { Collector } from './collector';

const policiesText = (count: number) => (count === 1 ? 'one policy' : `${count} policies`);

/**
 * Workloads within reach with rules of a former tenant or project, and workloads that went away and still have rules of a tenant within
 * reach: by the name that they had then.
 */
export const residualRules: Collector = async (reach) => ({
  facts: (await listResidualMatters(reach)).map(
    ({ workload_id, workload_name, owned, policies, mode, within_tenant }) => {
      const former = within_tenant ? 'project' : 'tenant';
      const what = owned
        ? `Rules of ${policiesText(policies)} of a former ${former}`
        : `Rules of ${policiesText(policies)}`;
      const where = owned
        ? 'still filter the workload'
        : 'are still on the workload, which belongs to another tenant now';
      const then =
        mode === 'remove' ? 'Their removal is retried automatically.' : 'They stay until somebody removes them.';
      return {
        condition: 'residual_rules',
        key: `${workload_id} ${owned ? (within_tenant ? 'project' : 'here') : 'gone'}`,
        object_kind: 'workload',
        object_id: owned ? workload_id : null,
        object_name: workload_name,
        detail: `${what} ${where}. ${then}`,
      };
    },
  ),
});
