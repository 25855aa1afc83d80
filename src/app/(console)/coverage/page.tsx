import { CoverageList } from '@/features/coverage/coverage-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Coverage'));

export default function CoveragePage() {
  return <CoverageList />;
}
