import type { Directory, DirectoryInput } from '@/domain/directory';
import { type MappingValues, toMappingInput, toMappingValues } from './provider-values';

type Text = 'bind_dn' | 'base_dn' | 'user_filter' | 'id_attribute' | 'name_attribute' | 'email_attribute';
type Kept = Pick<
  Directory,
  Text | 'enabled' | 'security' | 'group_source' | 'group_base_dn' | 'group_filter' | 'nested_groups' | 'require_group'
>;

/** The directory in its form. An empty password means that the stored one stays. */
export type DirectoryValues = Kept &
  MappingValues & {
    /** One a line. */
    urls: string;
    ca_certificate: string;
    bind_password: string;
    /** Empty: no account counts as disabled. */
    disabled_filter: string;
  };

export function toDirectoryValues(directory: Directory): DirectoryValues {
  const { enabled, security, bind_dn, base_dn, user_filter, id_attribute, name_attribute, email_attribute } = directory;
  const { group_source, group_base_dn, group_filter, nested_groups, require_group } = directory;
  return {
    ...{ enabled, security, bind_dn, base_dn, user_filter, id_attribute, name_attribute, email_attribute },
    ...{ group_source, group_base_dn, group_filter, nested_groups, require_group },
    urls: directory.urls.join('\n'),
    ca_certificate: directory.ca_certificate ?? '',
    bind_password: '',
    disabled_filter: directory.disabled_filter ?? '',
    mappings: toMappingValues(directory.mappings),
  };
}

/** What is sent: the whole form, with the version it was read at. */
export function toDirectoryInput(
  { urls, ca_certificate, bind_password, disabled_filter, mappings, ...values }: DirectoryValues,
  { version, has_bind_password }: Pick<Directory, 'version' | 'has_bind_password'>,
): Omit<DirectoryInput, 'mappings'> & { mappings: ReturnType<typeof toMappingInput> } {
  return {
    ...values,
    urls: urls.split(/\s+/).filter(Boolean),
    ca_certificate: ca_certificate.trim() === '' ? null : ca_certificate.trim(),
    ...(!(bind_password === '' && has_bind_password) && { bind_password }),
    disabled_filter: disabled_filter.trim() === '' ? null : disabled_filter.trim(),
    mappings: toMappingInput(mappings),
    version,
  };
}
