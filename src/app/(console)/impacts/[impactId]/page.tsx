import { ImpactDetail } from '@/features/shared/impact/impact-detail';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Impact'));

export default async function ImpactPage({ params }: { params: Promise<{ impactId: string }> }) {
  const { impactId } = await params;
  return <ImpactDetail impactId={impactId} />;
}
