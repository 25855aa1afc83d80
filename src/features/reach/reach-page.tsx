'use client';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { loadTab } from '../shared/load-tab';
import { useUrlTab } from '../shared/use-url-state';
import { PathCheck } from './path-check';

const WhoCanReach = loadTab(() => import('./who-can-reach').then((module) => module.WhoCanReach));
const SegmentMatrix = loadTab(() => import('./segment-matrix').then((module) => module.SegmentMatrix));

const TABS = ['path', 'workload', 'matrix'] as const;

/** What reaches what by the live rules: between two ends, at one workload, between groups. */
export function ReachPage() {
  const t = useT();
  const [tab, openTab] = useUrlTab(TABS, (next) => paths.reach({ tab: next }));
  return (
    <>
      <PageHeader
        title={t('Reachability')}
        description={t('What the firewalls of both ends let pass, by the rules as last read.')}
      />
      <Tabs
        label={t('Questions about reachability')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'path', label: t('Path check'), content: <PathCheck /> },
          { value: 'workload', label: t('Who can reach'), content: <WhoCanReach /> },
          { value: 'matrix', label: t('Segment matrix'), content: <SegmentMatrix /> },
        ]}
      />
    </>
  );
}
