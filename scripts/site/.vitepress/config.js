import { defineConfig } from "vitepress";
import pages from "../../../.mate/site/pages.json" with { type: "json" };

const REPOSITORY = "https://github.com/mate/core";

export default defineConfig({
  title: "@mate/core",
  description: "A TypeScript library and a tool for functions on AWS Lambda",
  lang: "en",
  base: pages.base,
  srcDir: "../../.mate/site/pages",
  outDir: pages.out,
  cacheDir: "../../.mate/site/cache",
  cleanUrls: true,
  ignoreDeadLinks: "localhostLinks",
  lastUpdated: false,
  markdown: {
    theme: {
      light: "github-light-high-contrast",
      dark: "github-dark-high-contrast",
    },
  },
  themeConfig: {
    nav: [
      { text: "Start", link: "/docs/tutorial" },
      { text: "Guides", link: "/docs/" },
      { text: "Manifest", link: "/manifest" },
      { text: "API", link: "/api/" },
      { text: `v${pages.version}`, link: "/CHANGELOG" },
    ],
    sidebar: pages.sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    editLink: {
      pattern: ({ filePath, frontmatter }) =>
        `${REPOSITORY}/edit/main/${frontmatter.source ?? filePath}`,
      text: "Edit this page",
    },
    footer: { message: "MIT licence" },
  },
});
