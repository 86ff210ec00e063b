{
  description = "An htop for what is inside a GPU: which process, which model, and how it is known";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forAll = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      version = builtins.elemAt (builtins.match ".*\n  version: '([^']*)'.*" (builtins.readFile ./meson.build)) 0;
      build =
        pkgs: tests:
        pkgs.stdenv.mkDerivation {
          pname = "gputaskman";
          inherit version;
          src = self;
          nativeBuildInputs = with pkgs; [
            meson
            ninja
            pkg-config
            python3
          ];
          # No driver is bundled: NVML is opened at run time, on NixOS from /run/opengl-driver/lib.
          buildInputs =
            (with pkgs; [
              jansson
              libevent
              ncurses
              zstd
            ])
            ++ pkgs.lib.optional tests pkgs.cmocka;
          nativeCheckInputs = [ pkgs.procps ];
          # Scripts that the build runs have no /usr/bin/env here.
          postPatch = "patchShebangs tools tests";
          preConfigure = ''
            printf 'name %s\ntime %s\n' '${self.shortRev or self.dirtyShortRev or "unknown"}' '${toString (self.lastModified or 0)}' > .commit
          '';
          mesonFlags = [ "-Dtests=${pkgs.lib.boolToString tests}" ];
          doCheck = tests;
          checkPhase = ''
            runHook preCheck
            meson test --no-rebuild --print-errorlogs --suite unit --suite cases
            runHook postCheck
          '';
          meta = {
            description = "An htop for what is inside a GPU";
            license = pkgs.lib.licenses.mit;
            platforms = systems;
            mainProgram = "gputaskman";
          };
        };
    in
    {
      packages = forAll (pkgs: rec {
        gputaskman = build pkgs false;
        default = gputaskman;
      });

      apps = forAll (pkgs: rec {
        gputaskman = {
          type = "app";
          program = "${self.packages.${pkgs.stdenv.hostPlatform.system}.default}/bin/gputaskman";
        };
        default = gputaskman;
      });

      checks = forAll (pkgs: { tests = build pkgs true; });

      devShells = forAll (pkgs: {
        default = pkgs.mkShell {
          inputsFrom = [ (build pkgs true) ];
          packages = with pkgs; [
            clang-tools
            nodejs
            shellcheck
            strace
            tmux
          ];
        };
      });
    };
}
