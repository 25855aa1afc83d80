import { formatBytes } from '@/lib/format';
import type { MapModel } from './map-model';
import { countText, nodeName } from './topology-words';
import { VERDICT_LOOKS } from './verdict-look';

/** What is said of the node under the pointer. */
export function NodeHint({ model, nodeId }: { model: MapModel; nodeId: string }) {
  const node = model.nodes.get(nodeId);
  if (!node) return null;
  const { workload, verdict } = node;
  return (
    <>
      <div className="font-medium [overflow-wrap:anywhere]">{nodeName(model, node)}</div>
      {workload && <div className="mono truncate text-muted">{workload.addresses.slice(0, 3).join(', ')}</div>}
      <div className="text-muted">
        {countText(node.links, 'connection')}, {formatBytes(node.bytes)}
        {verdict && `, ${VERDICT_LOOKS[verdict].word.toLowerCase()}`}
      </div>
    </>
  );
}
