import { FlaskConical } from 'lucide-react';
import { Badge } from '@/ui/badge';
import { Tooltip } from '@/ui/tooltip';

const EXPLANATION = 'Clusters, traffic and incidents of this installation are made up. No hypervisor is involved.';

/** Stands on every page of a demo, so that nobody takes it for real. */
export function DemoMark() {
  return (
    <Tooltip content={EXPLANATION} side="bottom" openOnTap>
      <button type="button" aria-label={`Demo. ${EXPLANATION}`} className="shrink-0 rounded-sm">
        <Badge tone="warn" icon={<FlaskConical size={12} aria-hidden />}>
          Demo
        </Badge>
      </button>
    </Tooltip>
  );
}
