/**
 * Names of interfaces that container engines and orchestrators make inside a guest: bridges, overlay networks and the
 * ends of their cables. What has an address there is no host of the network the guest is attached to.
 */
const CONTAINER_INTERFACES =
  /^(docker|br-[0-9a-f]{4,}|veth|cni|flannel|cali|cilium|lxc_|lxc[0-9a-f]{8,}|kube|nodelocaldns|podman|lxcbr|lxdbr|virbr|weave|vxlan\.calico|vxlan-v6\.calico|tunl0|antrea|ovn-k8s|k3s\d|hns\d|crio|nerdctl|buildah|hci_docker|datapath$)/i;

/** Loopback under the names that operating systems give it. */
const LOOPBACK = /^(lo\d*|loopback.*)$/i;

/** Whether an interface inside a guest belongs to containers, or is loopback. */
export const isContainerInterface = (name: string): boolean => CONTAINER_INTERFACES.test(name) || LOOPBACK.test(name);
