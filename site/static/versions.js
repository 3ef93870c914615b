// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// List of the versions in the folders beside this one, named by versions.js of their parent folder; also works for
// local files.
document.addEventListener("DOMContentLoaded", () => {
  const versions = window.fernwoodVersions || [];
  const tree = document.querySelector(".sidebar-tree");
  if (versions.length < 2 || !tree) return;
  const root = document.documentElement.dataset.content_root;
  const here = new URL(root, location.href).pathname.split("/").filter(Boolean).pop();
  const label = document.createElement("label");
  const select = document.createElement("select");
  label.className = "versions";
  label.append("Version ", select);
  for (const version of versions) select.add(new Option(version, version, false, version === here));
  select.addEventListener("change", () => { location.href = `${root}../${select.value}/docs/index.html`; });
  tree.before(label);
});
