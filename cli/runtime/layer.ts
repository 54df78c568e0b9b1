import { type ArchiveFile, writeFiles } from "../archives/archive.ts";
import { COPY, PROXY_VARIABLES } from "../lambda/isolation/passed_environment.ts";
import type { Architecture } from "../programs/pinned_packages.ts";

/** The shell script `bootstrap` in the layer. It is a constant, so that it is part of the module graph. */
export const BOOTSTRAP = `#!/bin/sh
# Lambda starts this script. It starts Deno with only the permissions of the function.
#
# The folder of this script is the layer (/opt on Lambda). It holds:
#   bin/deno           the Deno for this architecture
#   mate/architecture  x86_64 or arm64
#   mate/bootstrap.js  the runtime
# The function's folder ($LAMBDA_TASK_ROOT) may hold:
#   mate/net           one line: the hosts that the function may connect to, separated by commas; * for any host
#   mate/uses          one line: the hosts of the AWS services that the function uses
#   mate/secrets       one line: the parameters of AWS Systems Manager with the function's secrets, separated by commas
#   mate/cache-*       the code cache for one architecture
set -eu

layer=\${0%/*}
task=\${LAMBDA_TASK_ROOT:?is not set: this script is started by Lambda}

# Deno and some libraries need a home. Lambda lets a function write to /tmp only.
export HOME="\${HOME:-/tmp}"
export DENO_NO_UPDATE_CHECK=1

architecture=
if [ -r "$layer/mate/architecture" ]; then
  IFS= read -r architecture <"$layer/mate/architecture" || :
fi
isNew=
if [ -d "$task/mate/cache-$architecture" ]; then
  export DENO_DIR="$task/mate/cache-$architecture"
elif [ -z "\${DENO_DIR:-}" ]; then
  # /tmp is empty at the start. Keeping the compiled code there would make this start slower, and there is seldom a next.
  isNew=yes
  export DENO_DIR=/tmp/deno
fi

# The runtime connects to the Runtime API only. In mate/net and mate/uses, \${NAME} stands for an environment variable.
api=\${AWS_LAMBDA_RUNTIME_API:?is not set: this script is started by Lambda}
net=--allow-net=\${api%%/*}
for file in "$task/mate/net" "$task/mate/uses"; do
  [ -r "$file" ] || continue
  hosts=
  IFS= read -r hosts <"$file" || :
  ready=
  while :; do
    case $hosts in *\\$\\{*\\}*) ;; *) break ;; esac
    name=\${hosts#*\\$\\{}
    name=\${name%%\\}*}
    case $name in *[!A-Za-z0-9_]*) echo "Cannot read $file: \\"$name\\" is not a variable" >&2 && exit 1 ;; esac
    value=
    eval "value=\\\${$name:?is not set, and mate/net or mate/uses names it}"
    ready=$ready\${hosts%%\\$\\{*}$value
    hosts=\${hosts#*\\}}
  done
  hosts=$ready$hosts
  case $net,$hosts in
    --allow-net,* | *,) ;;
    *,'*') net=--allow-net ;;
    *) net=$net,$hosts ;;
  esac
done

# Deno needs no right for a proxy, so it forbids the function these variables. The runtime takes the values from copies.
for name in ${PROXY_VARIABLES.join(" ")}; do
  eval "[ -z \\"\\\${$name+x}\\" ] || export \\"${COPY}$name=\\$$name\\""
done

# Packages beside the module are found as in Node.js.
npm=--no-npm
[ ! -d "$task/node_modules" ] || npm=--node-modules-dir=manual

# The runtime reads the secrets before it imports the function's module.
if [ -r "$task/mate/secrets" ]; then
  IFS= read -r ${COPY}SECRETS <"$task/mate/secrets" || :
  export ${COPY}SECRETS
fi

# To inspect a function on one machine, the tool starts this script with options of Deno. Lambda gives none.
[ $# -gt 0 ] || set -- --quiet

# Without a limit, V8 plans for a machine with gigabytes. A quarter is left for memory outside V8's heap.
heap=$((\${AWS_LAMBDA_FUNCTION_MEMORY_SIZE:-128} * 3 / 4))

# Only Deno may write to DENO_DIR, because the next start runs the compiled code there.
exec "$layer/bin/deno" run "$@" --no-prompt --no-config --no-lock --no-remote "$npm" --cached-only \\
  \${isNew:+--no-code-cache} \\
  "--v8-flags=--max-old-space-size=$heap" \\
  "--allow-read=$task,$layer,/tmp" --allow-write=/tmp "--deny-write=$task,$layer,$DENO_DIR" "$net" \\
  --allow-env --deny-env=${PROXY_VARIABLES.join()} \\
  --allow-sys \\
  "$layer/mate/bootstrap.js"
`;

/** Lists the files of the layer, except `bin/deno`: the script that Lambda starts and the bundled runtime. */
export function filesOfLayer(architecture: Architecture, runtime: string): ArchiveFile[] {
  const encoder = new TextEncoder();
  return [
    { path: "bootstrap", data: encoder.encode(BOOTSTRAP), isExecutable: true },
    { path: "mate/architecture", data: encoder.encode(`${architecture}\n`) },
    { path: "mate/bootstrap.js", data: encoder.encode(runtime) },
  ];
}

/**
 * Writes a layer to a folder.
 *
 * @param deno The program for plain folders. In a namespace, the isolation mounts Deno.
 */
export async function writeLayer(
  folder: string,
  files: readonly ArchiveFile[],
  deno?: string,
): Promise<void> {
  await writeFiles(folder, files);
  await Deno.mkdir(`${folder}/bin`, { recursive: true });
  const program = `${folder}/bin/deno`;
  if (deno === undefined) await Deno.writeFile(program, new Uint8Array());
  // The functions of root run as another user, who may have no access to the folder of Deno.
  else await (Deno.uid() === 0 ? Deno.copyFile : Deno.symlink)(deno, program);
}
