// Recordings in formats of other programs: tables (CSV), glTF, VTK, HDF5 (docs/export.md).
#pragma once

#include <string>
#include <vector>

#include "record/trace/trace_walk.hpp"

namespace cairn::exports {

struct ExportOptions {
  std::int64_t every = 1;         // keep each N-th frame, the initial one first
  bool contact_geometry = false;  // of bodies, in place of what they look like: glTF and VTK
};

struct Exported {
  std::vector<std::string> files;    // what to open
  std::int64_t frames = 0;           // written
  record::TraceWalk::Ending ending;  // of the trace
};

// Into a folder: bodies.csv, contacts.csv, joints.csv, steps.csv.
Result<Exported> export_csv(const std::string& trace, const std::string& folder,
                            const ExportOptions& options = {});
// One animated .glb file.
Result<Exported> export_gltf(const std::string& trace, const std::string& file,
                             const ExportOptions& options = {});
// Into a folder: bodies.pvd and contacts.pvd with one .vtp for each frame.
Result<Exported> export_vtk(const std::string& trace, const std::string& folder,
                            const ExportOptions& options = {});
// One .h5 file.
Result<Exported> export_hdf5(const std::string& trace, const std::string& file,
                             const ExportOptions& options = {});

// Force of a contact of the frame on its second body, as it is shown, in the world [N].
Vec3 contact_force(const record::TraceWalk& walk, std::size_t contact);
const char* name(ContactMode mode);

// The box that all moving bodies keep within, from one walk through the trace.
struct TraceBounds {
  Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();  // [m]
  std::int64_t frames = 0;
};
Result<TraceBounds> find_bounds(const std::string& trace);

}  // namespace cairn::exports
