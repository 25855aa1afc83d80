import { MappingRules } from '@/features/administration/mapping/mapping-rules';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Mapping rules'));

export default function MappingRulesPage() {
  return <MappingRules />;
}
