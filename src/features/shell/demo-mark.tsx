'use client';
import { FlaskConical } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Tooltip } from '@/ui/tooltip';

/** Stands on every page of a demo, so that nobody takes it for real. */
export function DemoMark() {
  const t = useT();
  const explanation = t('Clusters, traffic and incidents of this installation are made up. No hypervisor is involved.');
  return (
    <Tooltip content={explanation} side="bottom" openOnTap>
      <button type="button" aria-label={`${t('Demo')}. ${explanation}`} className="shrink-0 rounded-sm">
        <Badge tone="warn" icon={<FlaskConical size={12} aria-hidden />}>
          {t('Demo')}
        </Badge>
      </button>
    </Tooltip>
  );
}
