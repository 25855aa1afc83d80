import { CoverageList } from '@/features/coverage/coverage-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Coverage'));

export default function CoveragePage() {
  return <CoverageList />;
}
