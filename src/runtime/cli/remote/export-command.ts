import { writeFile } from 'node:fs/promises';
import type { PolicyFileExport } from '@/domain/policy-file/plan';
import { type Command, EXIT, textOption } from '../command';
import type { Api } from './api';
import { printPolicyYaml } from './policy-yaml';

/** `fabric export`. @param open connects to the installation */
export const exportCommand = (open: () => Api): Command => ({
  name: 'export',
  summary: 'Write policies, groups and policy tests to a YAML file.',
  help: `  fabric export [-o FILE] [--tenant NAME]

Everything is named by its name, in a stable order: the same content is the same file.

-o, --output FILE  writes to this file instead of standard output
--tenant NAME      only objects of this tenant`,
  options: { output: { type: 'string', short: 'o' }, tenant: { type: 'string' } },
  positionals: [],
  async run({ values, terminal }) {
    const api = open();
    const tenant = textOption(values, 'tenant');
    const query = tenant === null ? '' : `?${new URLSearchParams({ tenant })}`;
    const document = await api.call<PolicyFileExport>('GET', `/policy-file${query}`);
    const text = printPolicyYaml(document, api.page('/api/v1/policy-file/schema.json'));
    const output = textOption(values, 'output');
    if (output === null || output === '-') terminal.print(text.replace(/\n$/, ''));
    else await writeFile(output, text);
    return EXIT.ok;
  },
});
