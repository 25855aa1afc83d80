import { GuestFirewall } from '@/features/guest-firewall/guest-firewall';
import { WorkloadTraffic } from '@/features/insights/workload-traffic';
import { WorkloadDetail } from '@/features/workloads/workload-detail';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Workload'));

export default async function WorkloadPage({ params }: { params: Promise<{ workloadId: string }> }) {
  const { workloadId } = await params;
  return (
    <WorkloadDetail
      workloadId={workloadId}
      traffic={<WorkloadTraffic workloadId={workloadId} />}
      firewall={<GuestFirewall workloadId={workloadId} />}
    />
  );
}
