import { ImpactDetail } from '@/features/shared/impact/impact-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Impact'));

export default async function ImpactPage({ params }: { params: Promise<{ impactId: string }> }) {
  const { impactId } = await params;
  return <ImpactDetail impactId={impactId} />;
}
