import { formatBytes } from '@/lib/format';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import type { MapModel } from './map-model';

/** The hint for the node under the pointer. */
export function NodeHint({ model, nodeId }: { model: MapModel; nodeId: string }) {
  const t = useT();
  const node = model.nodes.get(nodeId);
  if (!node) return null;
  const { workload, detail, verdict } = node;
  return (
    <>
      <div className="font-medium [overflow-wrap:anywhere]">{node.label}</div>
      {workload && <div className="mono truncate text-muted">{workload.addresses.slice(0, 3).join(', ')}</div>}
      {detail && <div className="text-muted">{detail}</div>}
      <div className="text-muted">
        {[
          t('{n, plural, one {# connection} other {# connections}}', { n: node.links }),
          formatBytes(node.bytes),
          verdict && lowerLabel(t, t(EDGE_VERDICT_STYLES[verdict].word)),
        ]
          .filter(Boolean)
          .join(', ')}
      </div>
    </>
  );
}
