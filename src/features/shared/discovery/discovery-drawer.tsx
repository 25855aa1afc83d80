'use client';
import type { DiscoverAccepted } from '@/domain/ipam/discovery';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Drawer } from '@/ui/drawer';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { LiveRun } from '../sync/live-run';
import { useClusterOptions } from '../use-cluster-options';

type Props = { started: DiscoverAccepted | null; onClose: () => void };

/** The discoveries that were started together, as they go, cluster by cluster. They go on when it is closed. */
export function DiscoveryDrawer({ started, onClose }: Props) {
  const t = useT();
  const clusters = useClusterOptions();
  const getClusterName = (id: string) => clusters.find(({ value }) => value === id)?.label ?? id;
  return (
    <Drawer
      open={started !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={t('Address discovery')}
      description={t('Discovery continues after you close this panel.')}
      footer={
        <Link className={buttonClass()} href={paths.jobs({ kind: 'ipam' })}>
          {t('All discoveries')}
        </Link>
      }
    >
      {started && (
        <div className="flex flex-col gap-6">
          {started.refused.map(({ cluster_id, message }) => (
            <Notice
              key={cluster_id}
              tone="danger"
              title={t('{name}: discovery not possible', { name: getClusterName(cluster_id) })}
            >
              {message}
            </Notice>
          ))}
          {started.runs.map(({ cluster_id, run_id }) => (
            <Section key={run_id} title={getClusterName(cluster_id)}>
              <LiveRun runId={run_id} />
            </Section>
          ))}
        </div>
      )}
    </Drawer>
  );
}
