import { formatBytes } from '@/lib/format';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import type { MapModel } from './map-model';
import { nodeName } from './topology-labels';
import { VERDICT_LOOKS } from './verdict-look';

/** What is said of the node under the pointer. */
export function NodeHint({ model, nodeId }: { model: MapModel; nodeId: string }) {
  const t = useT();
  const node = model.nodes.get(nodeId);
  if (!node) return null;
  const { workload, verdict } = node;
  return (
    <>
      <div className="font-medium [overflow-wrap:anywhere]">{nodeName(model, node)}</div>
      {workload && <div className="mono truncate text-muted">{workload.addresses.slice(0, 3).join(', ')}</div>}
      <div className="text-muted">
        {[
          t('{n, plural, one {# connection} other {# connections}}', { n: node.links }),
          formatBytes(node.bytes),
          verdict && lowerLabel(t, t(VERDICT_LOOKS[verdict].word)),
        ]
          .filter(Boolean)
          .join(', ')}
      </div>
    </>
  );
}
